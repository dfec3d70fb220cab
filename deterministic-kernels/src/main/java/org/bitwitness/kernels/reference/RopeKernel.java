package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.op.Rope;

/** Rotary position embedding in place. */
final class RopeKernel {
    private RopeKernel() {}

    static void rotate(Rope op) {
        int half = op.shape().headDim() / 2;
        int heads = op.x().columns() / op.shape().headDim();
        float[] x = op.x().data();
        for (int n = 0; n < op.shape().tokens(); n++) {
            int position = n % op.shape().length();
            for (int h = 0; h < heads; h++) {
                int at = n * op.x().columns() + h * op.shape().headDim();
                for (int i = 0; i < half; i++) {
                    float c = op.cos().data()[position * half + i];
                    float s = op.sin().data()[position * half + i];
                    if (op.inverse()) {
                        s = -s;
                    }
                    float x0 = x[at + i];
                    float x1 = x[at + i + half];
                    x[at + i] = Math.fma(-x1, s, x0 * c);
                    x[at + i + half] = Math.fma(x1, c, x0 * s);
                }
            }
        }
    }
}
