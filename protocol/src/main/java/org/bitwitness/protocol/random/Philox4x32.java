package org.bitwitness.protocol.random;

/**
 * Philox 4x32-10 of Salmon et al. ("Parallel random numbers: as easy as 1, 2, 3", 2011): ten rounds that turn a counter
 * of four words and a key of two into four random words. All arithmetic is modulo 2^32.
 */
public final class Philox4x32 {
    private static final int ROUNDS = 10;
    private static final long MULTIPLIER_0 = 0xD2511F53L;
    private static final long MULTIPLIER_1 = 0xCD9E8D57L;
    private static final int KEY_STEP_0 = 0x9E3779B9;
    private static final int KEY_STEP_1 = 0xBB67AE85;

    private Philox4x32() {}

    /**
     * One block.
     *
     * @param c0 first counter word; {@code c1}, {@code c2}, {@code c3} the others
     * @param k0 first key word: the low half of a 64-bit seed; {@code k1} the high half
     * @param out four words, overwritten
     */
    public static void block(int c0, int c1, int c2, int c3, int k0, int k1, int[] out) {
        int x0 = c0;
        int x1 = c1;
        int x2 = c2;
        int x3 = c3;
        int key0 = k0;
        int key1 = k1;
        for (int round = 0; round < ROUNDS; round++) {
            long p0 = MULTIPLIER_0 * (x0 & 0xFFFF_FFFFL);
            long p1 = MULTIPLIER_1 * (x2 & 0xFFFF_FFFFL);
            x0 = (int) (p1 >>> 32) ^ x1 ^ key0;
            x1 = (int) p1;
            x2 = (int) (p0 >>> 32) ^ x3 ^ key1;
            x3 = (int) p0;
            key0 += KEY_STEP_0;
            key1 += KEY_STEP_1;
        }
        out[0] = x0;
        out[1] = x1;
        out[2] = x2;
        out[3] = x3;
    }
}
