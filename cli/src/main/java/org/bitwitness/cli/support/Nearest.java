package org.bitwitness.cli.support;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.bitwitness.protocol.format.NearestWord;
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
                .filter(candidate -> NearestWord.editDistance(word, candidate) <= limit
                        || (word.length() >= 3 && candidate.startsWith(word)))
                .sorted(Comparator.comparingInt((String candidate) -> NearestWord.editDistance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }
}
