package org.bitwitness.kernels.reference;

/**
 * The profile's DOT: the index k is cut into chunks of 512; inside a chunk a chain of fused multiply-adds from +0 with k
 * ascending; the chunk sums are added to a total from +0, chunks ascending.
 *
 * <p>Terms may be absent (causal mask, zeros of a one-hot vector): they are not offered. A chunk without terms is +0 and
 * does not change the total, which is never −0.
 */
final class Dot {
    private static final int CHUNK_SHIFT = 9;

    private float total;
    private float chunkSum;
    private int chunk;

    /** Offers the term of index k; k must not descend. */
    void add(int k, float a, float b) {
        if (k >> CHUNK_SHIFT != chunk) {
            total = total + chunkSum;
            chunkSum = 0f;
            chunk = k >> CHUNK_SHIFT;
        }
        chunkSum = Math.fma(a, b, chunkSum);
    }

    float value() {
        return total + chunkSum;
    }
}
