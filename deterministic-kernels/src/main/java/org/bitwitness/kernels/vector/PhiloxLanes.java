package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.bitwitness.kernels.vector.Lanes.LONGS;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Philox 4x32-10 (P13), one block per 64-bit lane. Words are kept in the low halves, so that one multiplication gives
 * both halves of a product.
 *
 * @param key0 low word of the seed
 * @param key1 high word of the seed
 * @param wide whether the high word of the block index is c1; else {@code c1} is
 * @param c1 second counter word
 * @param c2 third counter word
 * @param c3 fourth counter word
 */
record PhiloxLanes(int key0, int key1, boolean wide, int c1, int c2, int c3) {
    /** Blocks computed at once. */
    static final int BLOCKS = LONGS.length();

    private static final long LOW = 0xffff_ffffL;
    private static final long M0 = 0xD251_1F53L;
    private static final long M1 = 0xCD9E_8D57L;
    private static final int W0 = 0x9E37_79B9;
    private static final int W1 = 0xBB67_AE85;
    private static final int ROUNDS = 10;

    private static final VectorShuffle<Long> LOWER = VectorShuffle.makeZip(LONGS, 0);
    private static final VectorShuffle<Long> UPPER = VectorShuffle.makeZip(LONGS, 1);

    /** Counter (block index, c1, c2, c3). */
    static PhiloxLanes of(long seed, int c1, int c2, int c3) {
        return new PhiloxLanes((int) seed, (int) (seed >>> 32), false, c1, c2, c3);
    }

    /** Counter (low word, high word of the block index, 0, c3). */
    static PhiloxLanes wide(long seed, int c3) {
        return new PhiloxLanes((int) seed, (int) (seed >>> 32), true, 0, 0, c3);
    }

    /** Words of {@code blocks} blocks need this much room: whole groups are written. */
    static int room(int blocks) {
        return (blocks + BLOCKS - 1) / BLOCKS * BLOCKS * 4;
    }

    /**
     * Writes the four words of each of {@code blocks} blocks, block after block.
     *
     * @param out at least {@link #room} long
     */
    void words(long firstBlock, int blocks, int[] out) {
        LongVector lane = LongVector.zero(LONGS).addIndex(1);
        for (int b = 0; b < blocks; b += BLOCKS) {
            LongVector index = lane.add(firstBlock + b);
            LongVector x0 = index.and(LOW);
            LongVector x1 = wide ? index.lanewise(LSHR, 32) : LongVector.broadcast(LONGS, c1 & LOW);
            LongVector x2 = LongVector.broadcast(LONGS, c2 & LOW);
            LongVector x3 = LongVector.broadcast(LONGS, c3 & LOW);
            int k0 = key0;
            int k1 = key1;
            for (int round = 0; round < ROUNDS; round++) {
                LongVector p0 = x0.mul(M0);
                LongVector p1 = x2.mul(M1);
                x0 = p1.lanewise(LSHR, 32).lanewise(XOR, x1).lanewise(XOR, k0 & LOW);
                x2 = p0.lanewise(LSHR, 32).lanewise(XOR, x3).lanewise(XOR, k1 & LOW);
                x1 = p1.and(LOW);
                x3 = p0.and(LOW);
                k0 += W0;
                k1 += W1;
            }
            LongVector low = x0.or(x1.lanewise(LSHL, 32));
            LongVector high = x2.or(x3.lanewise(LSHL, 32));
            low.rearrange(LOWER, high).reinterpretAsInts().intoArray(out, b * 4);
            low.rearrange(UPPER, high).reinterpretAsInts().intoArray(out, b * 4 + Lanes.WIDTH);
        }
    }
}
