package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.FloatVector.broadcast;
import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;

/**
 * GELU and SwiGLU (P9) over elements {@code [from, to)} of equally long arrays, block by block: arguments are copied to
 * padded work arrays, so that every pass runs over whole registers.
 */
final class Activations {
    private static final float ROOT_2_OVER_PI = 0x1.988454p-1f;
    private static final float CUBE = 0.044715f;
    private static final float CUBE_SLOPE = 0.134145f;

    private static final int X = 0;
    private static final int DY = 1;
    private static final int T = 2;
    private static final int WORK = 3;
    private static final int UP = 4;
    private static final int SECOND = 5;

    private Activations() {}

    private static float[] copied(float[] x, int at, int count, Scratch.Local local, int slot) {
        float[] block = local.block(slot);
        System.arraycopy(x, at, block, 0, count);
        return block;
    }

    /** {@code y} may be {@code x}. */
    static void gelu(float[] x, float[] y, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            float[] in = copied(x, at, count, local, X);
            float[] t = geluTanh(in, Lanes.padded(count), local);
            for (int i = 0; i < count; i += WIDTH) {
                FloatVector half = FloatVector.fromArray(FLOATS, in, i).mul(0.5f);
                half.mul(FloatVector.fromArray(FLOATS, t, i).add(1f)).intoArray(in, i);
            }
            System.arraycopy(in, 0, y, at, count);
        }
    }

    /** t = tanh(√(2/π)·v), v = fma((x·x)·x, 0.044715, x). */
    private static float[] geluTanh(float[] x, int count, Scratch.Local local) {
        float[] t = local.block(T);
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, i);
            v.mul(v).mul(v).fma(broadcast(FLOATS, CUBE), v).mul(ROOT_2_OVER_PI).intoArray(t, i);
        }
        VectorMath.tanh(t, 0, t, 0, count, local.block(WORK));
        return t;
    }

    /** {@code dx} may be {@code dy}. */
    static void geluGradient(float[] x, float[] dy, float[] dx, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            float[] in = copied(x, at, count, local, X);
            float[] d = copied(dy, at, count, local, DY);
            float[] tanh = geluTanh(in, Lanes.padded(count), local);
            for (int i = 0; i < count; i += WIDTH) {
                FloatVector v = FloatVector.fromArray(FLOATS, in, i);
                FloatVector t = FloatVector.fromArray(FLOATS, tanh, i);
                FloatVector c = v.mul(v)
                        .fma(broadcast(FLOATS, CUBE_SLOPE), broadcast(FLOATS, 1f))
                        .mul(ROOT_2_OVER_PI);
                FloatVector w = t.neg().fma(t, broadcast(FLOATS, 1f));
                FloatVector g = v.mul(0.5f).mul(w).fma(c, t.fma(broadcast(FLOATS, 0.5f), broadcast(FLOATS, 0.5f)));
                FloatVector.fromArray(FLOATS, d, i).mul(g).intoArray(d, i);
            }
            System.arraycopy(d, 0, dx, at, count);
        }
    }

    static void swiGlu(float[] gate, float[] up, float[] y, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            float[] g = copied(gate, at, count, local, X);
            float[] u = copied(up, at, count, local, UP);
            float[] s = local.block(T);
            VectorMath.sigmoid(g, 0, s, 0, Lanes.padded(count), local.block(WORK));
            for (int i = 0; i < count; i += WIDTH) {
                FloatVector a = FloatVector.fromArray(FLOATS, g, i).mul(FloatVector.fromArray(FLOATS, s, i));
                a.mul(FloatVector.fromArray(FLOATS, u, i)).intoArray(g, i);
            }
            System.arraycopy(g, 0, y, at, count);
        }
    }

    /** One array of a SwiGLU backward each. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record SwiGluArrays(float[] gate, float[] up, float[] dy, float[] dGate, float[] dUp) {}

    static void swiGluGradient(SwiGluArrays arrays, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            float[] gate = copied(arrays.gate, at, count, local, X);
            float[] up = copied(arrays.up, at, count, local, UP);
            float[] d = copied(arrays.dy, at, count, local, DY);
            float[] sigmoid = local.block(T);
            float[] dUp = local.block(SECOND);
            VectorMath.sigmoid(gate, 0, sigmoid, 0, Lanes.padded(count), local.block(WORK));
            for (int i = 0; i < count; i += WIDTH) {
                FloatVector s = FloatVector.fromArray(FLOATS, sigmoid, i);
                FloatVector a = FloatVector.fromArray(FLOATS, gate, i).mul(s);
                FloatVector dh = FloatVector.fromArray(FLOATS, d, i);
                dh.mul(a).intoArray(dUp, i);
                FloatVector da = dh.mul(FloatVector.fromArray(FLOATS, up, i));
                da.mul(a.fma(broadcast(FLOATS, 1f).sub(s), s)).intoArray(d, i);
            }
            System.arraycopy(dUp, 0, arrays.dUp, at, count);
            System.arraycopy(d, 0, arrays.dGate, at, count);
        }
    }
}
