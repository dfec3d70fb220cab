package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.VectorOperators.NE;
import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.ScalarFunction;

/** Functions of the profile over an array, for sweeps and tests. */
final class ScalarSweep {
    private static final int VALUES = 0;
    private static final int WORK = 1;

    private ScalarSweep() {}

    /** {@code y = f(x)} for elements {@code [from, to)}; {@code y} may be {@code x}. */
    static void apply(ScalarFunction function, float[] x, float[] y, int from, int to, Scratch.Local local) {
        float[] block = local.block(VALUES);
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            System.arraycopy(x, at, block, 0, count);
            applyTo(function, block, Lanes.padded(count), local.block(WORK));
            System.arraycopy(block, 0, y, at, count);
        }
    }

    private static void applyTo(ScalarFunction function, float[] x, int count, float[] work) {
        switch (function) {
            case EXP -> VectorMath.exp(x, 0, x, 0, count, 0f);
            case LOG -> VectorMath.log(x, 0, x, 0, count);
            case TANH -> VectorMath.tanh(x, 0, x, 0, count, work);
            case SIGMOID -> VectorMath.sigmoid(x, 0, x, 0, count, work);
            case ERF -> VectorMath.erf(x, 0, x, 0, count, work);
            case RSQRT -> reciprocalRoots(x, count);
        }
    }

    private static void reciprocalRoots(float[] x, int count) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector root = FloatVector.fromArray(FLOATS, x, i).sqrt();
            FloatVector y = FloatVector.broadcast(FLOATS, 1f).div(root);
            y.blend(Float.NaN, y.compare(NE, y)).intoArray(x, i);
        }
    }
}
