package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.load;

import jdk.incubator.vector.FloatVector;

/** GELU and SwiGLU (P9) over elements {@code [from, to)} of equally long arrays. */
final class Activations {
    private static final float ROOT_2_OVER_PI = 0x1.988454p-1f;
    private static final float CUBE = 0.044715f;
    private static final float CUBE_SLOPE = 0.134145f;

    private Activations() {}

    /** {@code y} may be {@code x}. */
    static void gelu(float[] x, float[] y, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            gelu(load(x, i)).intoArray(y, i);
        }
        if (i < to) {
            Lanes.store(gelu(load(x, i, to - i)), y, i, to - i);
        }
    }

    /** {@code dx} may be {@code dy}. */
    static void geluGradient(float[] x, float[] dy, float[] dx, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            load(dy, i).mul(geluSlope(load(x, i))).intoArray(dx, i);
        }
        if (i < to) {
            Lanes.store(load(dy, i, to - i).mul(geluSlope(load(x, i, to - i))), dx, i, to - i);
        }
    }

    private static FloatVector geluTanh(FloatVector x) {
        FloatVector v = x.mul(x).mul(x).fma(all(CUBE), x);
        return VectorMath.tanh(v.mul(ROOT_2_OVER_PI));
    }

    private static FloatVector gelu(FloatVector x) {
        return x.mul(0.5f).mul(geluTanh(x).add(1f));
    }

    private static FloatVector geluSlope(FloatVector x) {
        FloatVector t = geluTanh(x);
        FloatVector c = x.mul(x).fma(all(CUBE_SLOPE), all(1f)).mul(ROOT_2_OVER_PI);
        FloatVector w = t.neg().fma(t, all(1f));
        return x.mul(0.5f).mul(w).fma(c, t.fma(all(0.5f), all(0.5f)));
    }

    static void swiGlu(float[] gate, float[] up, float[] y, int from, int to) {
        int i = from;
        for (; i <= to - Lanes.WIDTH; i += Lanes.WIDTH) {
            FloatVector g = load(gate, i);
            g.mul(VectorMath.sigmoid(g)).mul(load(up, i)).intoArray(y, i);
        }
        if (i < to) {
            FloatVector g = load(gate, i, to - i);
            Lanes.store(g.mul(VectorMath.sigmoid(g)).mul(load(up, i, to - i)), y, i, to - i);
        }
    }

    /** One array of a SwiGLU backward each. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record SwiGluArrays(float[] gate, float[] up, float[] dy, float[] dGate, float[] dUp) {}

    static void swiGluGradient(SwiGluArrays arrays, int from, int to) {
        for (int i = from; i < to; i += Lanes.WIDTH) {
            int count = Math.min(Lanes.WIDTH, to - i);
            FloatVector g = load(arrays.gate, i, count);
            FloatVector dh = load(arrays.dy, i, count);
            FloatVector s = VectorMath.sigmoid(g);
            FloatVector a = g.mul(s);
            Lanes.store(dh.mul(a), arrays.dUp, i, count);
            FloatVector da = dh.mul(load(arrays.up, i, count));
            Lanes.store(da.mul(a.fma(all(1f).sub(s), s)), arrays.dGate, i, count);
        }
    }
}
