package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Plain arithmetic over elements {@code [from, to)}. The one-operation loops are scalar on purpose: they are what the JIT
 * compiler turns into vector code by itself, and they are fast before it does.
 */
final class Elements {
    private static final int EXPONENT_BITS = 0x7f800000;
    private static final int EXPONENT_STEP = 0x00800000;

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

    /** False if an element is NaN or infinite: then, and only then, the exponent bits carry into the sign. */
    static boolean finite(float[] x, int from, int to) {
        int whole = from + Lanes.whole(to - from);
        IntVector carries = IntVector.zero(Lanes.INTS);
        for (int i = from; i < whole; i += Lanes.WIDTH) {
            IntVector bits = FloatVector.fromArray(Lanes.FLOATS, x, i).reinterpretAsInts();
            carries = carries.or(bits.and(EXPONENT_BITS).add(EXPONENT_STEP));
        }
        boolean finite = !carries.compare(VectorOperators.LT, 0).anyTrue();
        for (int i = whole; i < to; i++) {
            finite &= Float.isFinite(x[i]);
        }
        return finite;
    }
}
