package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;

/** GELU (tanh form) and SwiGLU, element by element. */
final class ActivationKernel {
    private static final float ROOT_2_OVER_PI = 0x1.988454p-1f;
    private static final float CUBE = 0.044715f;
    private static final float THREE_CUBES = 0.134145f;

    private ActivationKernel() {}

    static void gelu(Gelu op) {
        float[] x = op.x().data();
        for (int i = 0; i < x.length; i++) {
            float t = geluTanh(x[i]);
            op.y().data()[i] = (0.5f * x[i]) * (1f + t);
        }
    }

    static void geluGradient(GeluGradient op) {
        for (int i = 0; i < op.x().size(); i++) {
            float x = op.x().data()[i];
            float t = geluTanh(x);
            float c = ROOT_2_OVER_PI * Math.fma(x * x, THREE_CUBES, 1f);
            float w = Math.fma(-t, t, 1f);
            float g = Math.fma((0.5f * x) * w, c, Math.fma(0.5f, t, 0.5f));
            op.dx().data()[i] = op.dy().data()[i] * g;
        }
    }

    private static float geluTanh(float x) {
        float v = Math.fma((x * x) * x, CUBE, x);
        return Functions.tanh(ROOT_2_OVER_PI * v);
    }

    static void swiGlu(SwiGlu op) {
        for (int i = 0; i < op.gate().size(); i++) {
            float g = op.gate().data()[i];
            float s = Functions.sigmoid(g);
            float a = g * s;
            op.y().data()[i] = a * op.up().data()[i];
        }
    }

    static void swiGluGradient(SwiGluGradient op) {
        for (int i = 0; i < op.gate().size(); i++) {
            float g = op.gate().data()[i];
            float dh = op.dy().data()[i];
            float s = Functions.sigmoid(g);
            float a = g * s;
            float da = dh * op.up().data()[i];
            op.dUp().data()[i] = dh * a;
            op.dGate().data()[i] = da * Math.fma(a, 1f - s, s);
        }
    }
}
