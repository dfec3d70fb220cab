package org.bitwitness.kernels.vector;

/** Rounding to bfloat16 in place; a plain loop that the JIT compiler turns into vector code. */
final class Bf16 {
    private static final int NAN = 0x7fc0_0000;

    private Bf16() {}

    /**
     * Round to nearest, ties to even: adding 7fff, and 1 more where the last kept bit is 1, carries into the kept half
     * exactly where that rounds up. The carry out of the largest number gives infinity.
     */
    static void round(float[] x, int from, int to) {
        for (int i = from; i < to; i++) {
            float v = x[i];
            int bits = Float.floatToRawIntBits(v);
            int rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff_0000;
            x[i] = Float.intBitsToFloat(!Float.isNaN(v) ? rounded : NAN);
        }
    }
}
