package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.load;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** Plain arithmetic over elements {@code [from, to)}. */
final class Elements {
    private static final int EXPONENT_BITS = 0x7f800000;

    private Elements() {}

    /** {@code out = x + y}; {@code out} may be either. */
    static void add(float[] x, float[] y, float[] out, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            load(x, i).add(load(y, i)).intoArray(out, i);
        }
        for (; i < to; i++) {
            out[i] = x[i] + y[i];
        }
    }

    static void scale(float[] x, float factor, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            load(x, i).mul(factor).intoArray(x, i);
        }
        for (; i < to; i++) {
            x[i] = x[i] * factor;
        }
    }

    /** {@code x = x / divisor} in place; a rounded division each. */
    static void divide(float[] x, float divisor, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            load(x, i).div(divisor).intoArray(x, i);
        }
        for (; i < to; i++) {
            x[i] = x[i] / divisor;
        }
    }

    /** False if an element is NaN or infinite. */
    static boolean finite(float[] x, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            if (Lanes.ints(load(x, i))
                    .and(EXPONENT_BITS)
                    .compare(VectorOperators.EQ, EXPONENT_BITS)
                    .anyTrue()) {
                return false;
            }
        }
        for (; i < to; i++) {
            if (!Float.isFinite(x[i])) {
                return false;
            }
        }
        return true;
    }

    /** Largest magnitude; only for finite values. */
    static float largestMagnitude(float[] x, int from, int to) {
        FloatVector m = Lanes.zero();
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            m = VectorMath.larger(m, load(x, i).abs());
        }
        float largest = Lanes.foldMax(m);
        for (; i < to; i++) {
            float a = Math.abs(x[i]);
            largest = a > largest ? a : largest;
        }
        return largest;
    }
}
