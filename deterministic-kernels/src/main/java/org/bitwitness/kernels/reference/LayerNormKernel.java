package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;

/** LayerNorm. {@code ·invN} and {@code + eps} are separate operations. */
final class LayerNormKernel {
    private LayerNormKernel() {}

    static void forward(LayerNorm op) {
        int width = op.x().columns();
        float invN = (float) (1.0 / width);
        float[] x = op.x().data();
        float[] gain = op.gain().data();
        float[] bias = op.bias().data();
        float[] z = new float[width];
        for (int row = 0; row < op.x().rows(); row++) {
            int at = row * width;
            float mean = Lanes.sum(x, at, width) * invN;
            for (int c = 0; c < width; c++) {
                z[c] = x[at + c] - mean;
            }
            float variance = Lanes.sumOfSquares(z, 0, width) * invN;
            float r = Functions.rsqrt(variance + op.eps());
            for (int c = 0; c < width; c++) {
                float normed = z[c] * r;
                op.y().data()[at + c] = Math.fma(normed, gain[c], bias[c]);
            }
            op.mean().data()[row] = mean;
            op.rstd().data()[row] = r;
        }
    }

    static void backward(LayerNormGradient op) {
        int width = op.x().columns();
        int rows = op.x().rows();
        float invN = (float) (1.0 / width);
        float[] dy = op.dy().data();
        float[] gain = op.gain().data();
        float[] dx = op.dx().data();
        float[] normed = normed(op);
        float[] h = new float[width];
        for (int row = 0; row < rows; row++) {
            int at = row * width;
            float r = op.rstd().data()[row];
            for (int c = 0; c < width; c++) {
                h[c] = dy[at + c] * gain[c];
            }
            float a = Lanes.sum(h, 0, width) * invN;
            float b = Lanes.dot(h, 0, normed, at, width) * invN;
            for (int c = 0; c < width; c++) {
                float dNorm = r * ((h[c] - a) - (normed[at + c] * b));
                dx[at + c] = op.add() ? dx[at + c] + dNorm : dNorm;
            }
        }
        for (int c = 0; c < width; c++) {
            Dot dot = new Dot();
            for (int n = 0; n < rows; n++) {
                dot.add(n, dy[n * width + c], normed[n * width + c]);
            }
            op.dGain().data()[c] = dot.value();
        }
        LinearKernel.columnSums(dy, rows, op.dBias().data());
    }

    /** x̂ = (x − μ)·r. */
    private static float[] normed(LayerNormGradient op) {
        int width = op.x().columns();
        float[] x = op.x().data();
        float[] out = new float[x.length];
        for (int i = 0; i < x.length; i++) {
            float z = x[i] - op.mean().data()[i / width];
            out[i] = z * op.rstd().data()[i / width];
        }
        return out;
    }
}
