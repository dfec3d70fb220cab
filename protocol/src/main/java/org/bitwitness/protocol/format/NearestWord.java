package org.bitwitness.protocol.format;

import java.util.Collection;
import java.util.Optional;

/** Finds the word that somebody who mistyped most likely meant. */
public final class NearestWord {
    private static final int MAX_CHARS = 64;

    private NearestWord() {}

    /** The word with the smallest edit distance, when that is at most half the length of what was typed, plus one. */
    public static Optional<String> to(String typed, Collection<String> words) {
        if (typed.length() > MAX_CHARS) {
            return Optional.empty();
        }
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String word : words) {
            int distance = word.length() > MAX_CHARS ? Integer.MAX_VALUE : editDistance(typed, word);
            if (distance < bestDistance || (distance == bestDistance && word.compareTo(best) < 0)) {
                best = word;
                bestDistance = distance;
            }
        }
        return bestDistance <= typed.length() / 2 + 1 ? Optional.of(best) : Optional.empty();
    }

    /** Letters to insert, delete, replace, or swap with their neighbour; the case of a letter does not count. */
    public static int editDistance(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : edit(distance, a, b, i, j);
            }
        }
        return distance[a.length()][b.length()];
    }

    private static int edit(int[][] distance, String a, String b, int i, int j) {
        int replace = distance[i - 1][j - 1] + (sameLetter(a.charAt(i - 1), b.charAt(j - 1)) ? 0 : 1);
        int best = Math.min(replace, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        boolean swapped = i > 1
                && j > 1
                && sameLetter(a.charAt(i - 1), b.charAt(j - 2))
                && sameLetter(a.charAt(i - 2), b.charAt(j - 1));
        return swapped ? Math.min(best, distance[i - 2][j - 2] + 1) : best;
    }

    private static boolean sameLetter(char a, char b) {
        return Character.toLowerCase(a) == Character.toLowerCase(b);
    }
}
