package org.bitwitness.kernels.vector;

/**
 * Plain arithmetic over elements {@code [from, to)}. These loops are scalar on purpose: one operation per element is what
 * the JIT compiler turns into vector code by itself, and they are fast before it does.
 */
final class Elements {
    private static final int EXPONENT_BITS = 0x7f800000;

    private Elements() {}

    /** {@code out = x + y}; {@code out} may be either. */
    static void add(float[] x, float[] y, float[] out, int from, int to) {
        for (int i = from; i < to; i++) {
            out[i] = x[i] + y[i];
        }
    }

    static void scale(float[] x, float factor, int from, int to) {
        for (int i = from; i < to; i++) {
            x[i] = x[i] * factor;
        }
    }

    /** {@code x = x / divisor} in place; a rounded division each. */
    static void divide(float[] x, float divisor, int from, int to) {
        for (int i = from; i < to; i++) {
            x[i] = x[i] / divisor;
        }
    }

    /** False if an element is NaN or infinite. */
    static boolean finite(float[] x, int from, int to) {
        int worst = 0;
        for (int i = from; i < to; i++) {
            worst = Math.max(worst, Float.floatToRawIntBits(x[i]) & EXPONENT_BITS);
        }
        return worst != EXPONENT_BITS;
    }
}
