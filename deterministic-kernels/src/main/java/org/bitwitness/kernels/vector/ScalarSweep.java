package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.bitwitness.kernels.ScalarFunction;

/** Functions of the profile over an array, for sweeps and tests. */
final class ScalarSweep {
    private ScalarSweep() {}

    /** {@code y = f(x)} for elements {@code [from, to)}; {@code y} may be {@code x}. */
    static void apply(ScalarFunction function, float[] x, float[] y, int from, int to) {
        switch (function) {
            case EXP -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(VectorMath.exp(Lanes.load(x, i, count)), y, i, count);
                }
            }
            case LOG -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(VectorMath.log(Lanes.load(x, i, count)), y, i, count);
                }
            }
            case TANH -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(VectorMath.tanh(Lanes.load(x, i, count)), y, i, count);
                }
            }
            case SIGMOID -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(VectorMath.sigmoid(Lanes.load(x, i, count)), y, i, count);
                }
            }
            case ERF -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(VectorMath.erf(Lanes.load(x, i, count)), y, i, count);
                }
            }
            case RSQRT -> {
                for (int i = from; i < to; i += Lanes.WIDTH) {
                    int count = Math.min(Lanes.WIDTH, to - i);
                    Lanes.store(reciprocalRoot(Lanes.load(x, i, count)), y, i, count);
                }
            }
        }
    }

    private static FloatVector reciprocalRoot(FloatVector x) {
        FloatVector y = Lanes.all(1f).div(x.sqrt());
        return y.blend(Float.NaN, y.compare(VectorOperators.NE, y));
    }
}
