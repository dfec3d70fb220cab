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

    private static int editDistance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (sameLetter(a.charAt(i - 1), b.charAt(j - 1)) ? 0 : 1);
                row[j] = Math.min(replace, 1 + Math.min(previous[j], row[j - 1]));
            }
            previous = row;
        }
        return previous[b.length()];
    }

    private static boolean sameLetter(char a, char b) {
        return Character.toLowerCase(a) == Character.toLowerCase(b);
    }
}
