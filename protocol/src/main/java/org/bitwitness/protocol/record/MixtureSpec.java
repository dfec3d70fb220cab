package org.bitwitness.protocol.record;

import java.util.List;

/**
 * Parts of a dataset that are read in fixed shares. Of every {@link #period()} samples in a row each part gives exactly
 * as many as its weight; what is in no part is not read.
 *
 * @param parts in the order that numbers them; none holds documents of another
 */
public record MixtureSpec(List<Part> parts) {
    /** Name of the rule that spreads the parts over a period, in the descriptor. */
    public static final String ORDER = "feistel-period-1";

    public static final int MAX_PARTS = 1024;
    public static final int MAX_WEIGHT = 1 << 20;
    private static final int MAX_PREFIX_CHARACTERS = 1024;

    public MixtureSpec {
        parts = List.copyOf(parts);
        if (parts.isEmpty() || parts.size() > MAX_PARTS) {
            throw new IllegalArgumentException(
                    "data.mixture has from 1 to %d parts, got %d".formatted(MAX_PARTS, parts.size()));
        }
        for (int i = 0; i < parts.size(); i++) {
            for (int j = 0; j < parts.size(); j++) {
                String documents = parts.get(i).documents();
                String others = parts.get(j).documents();
                if (i != j && others.startsWith(documents)) {
                    throw new IllegalArgumentException(
                            "data.mixture: the part \"%s\" holds documents of the part \"%s\": no part may hold another's"
                                    .formatted(documents, others));
                }
            }
        }
    }

    /**
     * The documents whose names begin with a text, like a folder's name with its slash.
     *
     * @param documents what their names begin with; empty for all
     * @param weight samples of a period
     */
    public record Part(String documents, int weight) {
        public Part {
            if (documents.length() > MAX_PREFIX_CHARACTERS || weight < 1 || weight > MAX_WEIGHT) {
                throw new IllegalArgumentException(
                        "data.mixture: a part has at most %d characters and a weight from 1 to %d, got %d and %d"
                                .formatted(MAX_PREFIX_CHARACTERS, MAX_WEIGHT, documents.length(), weight));
            }
        }
    }

    /** Samples after which the shares are exact again: the sum of the weights. */
    public long period() {
        return parts.stream().mapToLong(Part::weight).sum();
    }
}
