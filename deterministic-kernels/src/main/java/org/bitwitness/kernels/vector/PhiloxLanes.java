package org.bitwitness.kernels.vector;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Philox 4x32-10 (P13), one block per 64-bit lane. Words are kept in the low halves, so that one multiplication gives
 * both halves of a product.
 *
 * @param key0 low word of the seed
 * @param key1 high word of the seed
 * @param c1 second counter word; ignored by {@link #wide}
 * @param c2 third counter word
 * @param c3 fourth counter word
 */
record PhiloxLanes(int key0, int key1, int c1, int c2, int c3) {
    /** Blocks computed at once. */
    static final int BLOCKS = Lanes.LONGS.length();

    private static final long LOW = 0xffff_ffffL;
    private static final long M0 = 0xD251_1F53L;
    private static final long M1 = 0xCD9E_8D57L;
    private static final int W0 = 0x9E37_79B9;
    private static final int W1 = 0xBB67_AE85;
    private static final int ROUNDS = 10;

    private static final VectorShuffle<Long> LOWER = VectorShuffle.makeZip(Lanes.LONGS, 0);
    private static final VectorShuffle<Long> UPPER = VectorShuffle.makeZip(Lanes.LONGS, 1);
    private static final LongVector LANE = LongVector.zero(Lanes.LONGS).addIndex(1);

    static PhiloxLanes of(long seed, int c1, int c2, int c3) {
        return new PhiloxLanes((int) seed, (int) (seed >>> 32), c1, c2, c3);
    }

    /** Words of {@code count} elements from {@code firstBlock} on need this much room: whole groups are written. */
    static int room(int blocks) {
        return (blocks + BLOCKS - 1) / BLOCKS * BLOCKS * 4;
    }

    /**
     * Writes the four words of each of {@code blocks} blocks, block after block; c0 is the low word of the block index.
     *
     * @param out at least {@link #room} long
     */
    void words(long firstBlock, int blocks, int[] out) {
        for (int b = 0; b < blocks; b += BLOCKS) {
            LongVector c0 = LANE.add(firstBlock + b).and(LOW);
            group(c0, Lanes.longs(c1 & LOW), out, b * 4);
        }
    }

    /** As {@link #words}, with the high word of the block index as c1. */
    void wide(long firstBlock, int blocks, int[] out) {
        for (int b = 0; b < blocks; b += BLOCKS) {
            LongVector index = LANE.add(firstBlock + b);
            group(index.and(LOW), index.lanewise(VectorOperators.LSHR, 32), out, b * 4);
        }
    }

    private void group(LongVector first, LongVector second, int[] out, int to) {
        LongVector x0 = first;
        LongVector x1 = second;
        LongVector x2 = Lanes.longs(c2 & LOW);
        LongVector x3 = Lanes.longs(c3 & LOW);
        int k0 = key0;
        int k1 = key1;
        for (int round = 0; round < ROUNDS; round++) {
            LongVector p0 = x0.mul(M0);
            LongVector p1 = x2.mul(M1);
            x0 = p1.lanewise(VectorOperators.LSHR, 32).lanewise(VectorOperators.XOR, x1);
            x0 = x0.lanewise(VectorOperators.XOR, k0 & LOW);
            x2 = p0.lanewise(VectorOperators.LSHR, 32).lanewise(VectorOperators.XOR, x3);
            x2 = x2.lanewise(VectorOperators.XOR, k1 & LOW);
            x1 = p1.and(LOW);
            x3 = p0.and(LOW);
            k0 += W0;
            k1 += W1;
        }
        LongVector low = x0.or(x1.lanewise(VectorOperators.LSHL, 32));
        LongVector high = x2.or(x3.lanewise(VectorOperators.LSHL, 32));
        low.rearrange(LOWER, high).reinterpretAsInts().intoArray(out, to);
        low.rearrange(UPPER, high).reinterpretAsInts().intoArray(out, to + Lanes.WIDTH);
    }
}
