package org.bitwitness.cli.support;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.UnmatchedArgumentException;

/** The words a person most likely meant. */
public final class Nearest {
    private static final int MOST = 3;

    private Nearest() {}

    static List<String> to(UnmatchedArgumentException unmatched, CommandLine command) {
        if (unmatched.getUnmatched().isEmpty()) {
            return List.of();
        }
        String word = unmatched.getUnmatched().getFirst();
        List<String> known = new ArrayList<>();
        if (word.startsWith("-")) {
            command.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        } else {
            command.getSubcommands().forEach((name, sub) -> {
                if (!sub.getCommandSpec().usageMessage().hidden()) {
                    known.add(name);
                }
            });
        }
        return to(word.split("=", 2)[0], known);
    }

    /** Those of {@code known} within a third of the word's length in edits, nearest first, three at most. */
    public static List<String> to(String word, List<String> known) {
        int limit = Math.max(1, word.length() / 3);
        return known.stream()
                .filter(candidate ->
                        edits(word, candidate) <= limit || (word.length() >= 3 && candidate.startsWith(word)))
                .sorted(Comparator.comparingInt((String candidate) -> edits(word, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /** Damerau's distance with adjacent swaps counted once. */
    private static int edits(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : edit(distance, a, b, i, j);
            }
        }
        return distance[a.length()][b.length()];
    }

    private static int edit(int[][] distance, String a, String b, int i, int j) {
        int substitute = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(substitute, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, distance[i - 2][j - 2] + 1) : best;
    }
}
