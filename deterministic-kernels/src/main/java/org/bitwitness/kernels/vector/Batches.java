package org.bitwitness.kernels.vector;

import org.bitwitness.kernels.MicroBatch;

/** What kernels derive from a micro-batch. */
final class Batches {
    private Batches() {}

    /** The position of every flat token in its sequence. */
    static int[] positions(MicroBatch batch) {
        int[] positions = new int[batch.tokens()];
        for (int n = 0; n < positions.length; n++) {
            positions[n] = n % batch.length();
        }
        return positions;
    }
}
