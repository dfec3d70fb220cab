package org.bitwitness.kernels.op;

/**
 * Sizes of a causal attention. Query head h reads key/value head {@code h / (heads / kvHeads)}.
 *
 * @param sequences S
 * @param length T, tokens per sequence
 * @param heads H, query heads
 * @param kvHeads K, divides H
 * @param headDim D
 */
public record AttentionShape(int sequences, int length, int heads, int kvHeads, int headDim) {
    public AttentionShape {
        if (sequences < 1 || length < 1 || heads < 1 || kvHeads < 1 || headDim < 1) {
            throw new IllegalArgumentException("attention sizes are at least 1");
        }
        if (heads % kvHeads != 0) {
            throw new IllegalArgumentException(
                    "heads %d is not a multiple of key/value heads %d".formatted(heads, kvHeads));
        }
        long probabilities = (long) Math.multiplyExact(sequences, heads) * length * length;
        if (probabilities > 1L << 34) {
            throw new IllegalArgumentException(
                    "sequences · heads · length² = %d exceeds 2^34, the dropout generator's counter; use smaller micro-batches"
                            .formatted(probabilities));
        }
    }

    /** N = S · T. */
    public int tokens() {
        return Math.multiplyExact(sequences, length);
    }

    /** Query heads per key/value head. */
    public int group() {
        return heads / kvHeads;
    }

    /** Rows of the row statistics: S · H · T; row (s, h, i) is {@code (s · H + h) · T + i}. */
    public int rows() {
        return Math.multiplyExact(Math.multiplyExact(sequences, heads), length);
    }
}
