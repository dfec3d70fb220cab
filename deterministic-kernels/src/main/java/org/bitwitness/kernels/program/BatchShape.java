package org.bitwitness.kernels.program;

import org.bitwitness.kernels.MicroBatch;

/**
 * Extents of a micro-batch; with the model it decides the program.
 *
 * @param sequences S
 * @param length T
 */
public record BatchShape(int sequences, int length) {
    public BatchShape {
        if (sequences < 1 || length < 1) {
            throw new IllegalArgumentException(
                    "need at least one sequence of one token, got [%d, %d]".formatted(sequences, length));
        }
        Math.multiplyExact(sequences, length);
    }

    public static BatchShape of(MicroBatch batch) {
        return new BatchShape(batch.sequences(), batch.length());
    }

    /** N = S · T. */
    public int tokens() {
        return sequences * length;
    }
}
