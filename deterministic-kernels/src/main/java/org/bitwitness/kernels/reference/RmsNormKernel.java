package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;

/** RMSNorm. {@code ·invN} and {@code + eps} are separate operations. */
final class RmsNormKernel {
    private RmsNormKernel() {}

    static void forward(RmsNorm op) {
        int width = op.x().columns();
        float invN = (float) (1.0 / width);
        float[] x = op.x().data();
        float[] gain = op.gain().data();
        for (int row = 0; row < op.x().rows(); row++) {
            int at = row * width;
            float r = Functions.rsqrt(Lanes.sumOfSquares(x, at, width) * invN + op.eps());
            for (int c = 0; c < width; c++) {
                op.y().data()[at + c] = (x[at + c] * r) * gain[c];
            }
            op.rstd().data()[row] = r;
        }
    }

    static void backward(RmsNormGradient op) {
        int width = op.x().columns();
        int rows = op.x().rows();
        float invN = (float) (1.0 / width);
        float[] x = op.x().data();
        float[] dy = op.dy().data();
        float[] gain = op.gain().data();
        float[] dx = op.dx().data();
        float[] rstd = op.rstd().data();
        float[] h = new float[width];
        for (int row = 0; row < rows; row++) {
            int at = row * width;
            float r = rstd[row];
            for (int c = 0; c < width; c++) {
                h[c] = dy[at + c] * gain[c];
            }
            float t = (Lanes.dot(h, 0, x, at, width) * invN) * ((r * r) * r);
            for (int c = 0; c < width; c++) {
                float dNorm = Math.fma(-t, x[at + c], h[c] * r);
                dx[at + c] = op.add() ? dx[at + c] + dNorm : dNorm;
            }
        }
        for (int c = 0; c < width; c++) {
            Dot dot = new Dot();
            for (int n = 0; n < rows; n++) {
                dot.add(n, dy[n * width + c], x[n * width + c] * rstd[n]);
            }
            op.dGain().data()[c] = dot.value();
        }
    }
}
