package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.load;

import jdk.incubator.vector.FloatVector;

/**
 * LayerNorm and RMSNorm (P6), row by row. Rows are {@code width} long and start at {@code at}; a row's result depends on
 * nothing but the row.
 */
final class Norms {
    private Norms() {}

    static float inverseOf(int width) {
        return (float) (1.0 / width);
    }

    /** 1/√x, two rounded operations. A binary64 root rounded to binary32 is the correctly rounded binary32 root. */
    static float reciprocalRoot(float x) {
        return 1f / (float) Math.sqrt(x);
    }

    /** Writes y; leaves the mean in {@code mean[row]} and r in {@code rstd[row]}. */
    static void layer(LayerRows n, int row) {
        int width = n.width;
        int at = row * width;
        float invN = inverseOf(width);
        float mean = Rows.sum(n.x, at, width) * invN;
        subtract(n.x, at, mean, n.y, width);
        float variance = Rows.sumOfSquares(n.y, at, width) * invN;
        float r = reciprocalRoot(variance + n.eps);
        n.mean[row] = mean;
        n.rstd[row] = r;
        int j = 0;
        for (; j <= width - Lanes.WIDTH; j += Lanes.WIDTH) {
            load(n.y, at + j).mul(r).fma(load(n.gain, j), load(n.bias, j)).intoArray(n.y, at + j);
        }
        for (; j < width; j++) {
            n.y[at + j] = Math.fma(n.y[at + j] * r, n.gain[j], n.bias[j]);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record LayerRows(
            float[] x, float[] gain, float[] bias, float eps, float[] y, float[] mean, float[] rstd, int width) {}

    private static void subtract(float[] x, int at, float mean, float[] z, int width) {
        int j = 0;
        for (; j <= width - Lanes.WIDTH; j += Lanes.WIDTH) {
            load(x, at + j).sub(mean).intoArray(z, at + j);
        }
        for (; j < width; j++) {
            z[at + j] = x[at + j] - mean;
        }
    }

    /** What both backward forms read and write. For RMSNorm {@code mean} is not read. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record GradientRows(
            float[] dy, float[] x, float[] gain, float[] mean, float[] rstd, boolean add, float[] dx, int width) {}

    static void layerGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(0, width);
        float[] normal = local.buffer(1, width);
        float mean = n.mean[row];
        float r = n.rstd[row];
        int j = 0;
        for (; j <= width - Lanes.WIDTH; j += Lanes.WIDTH) {
            load(n.dy, at + j).mul(load(n.gain, j)).intoArray(h, j);
            load(n.x, at + j).sub(mean).mul(r).intoArray(normal, j);
        }
        for (; j < width; j++) {
            h[j] = n.dy[at + j] * n.gain[j];
            normal[j] = (n.x[at + j] - mean) * r;
        }
        float invN = inverseOf(width);
        float a = Rows.sum(h, 0, width) * invN;
        float b = Rows.dot(h, 0, normal, 0, width) * invN;
        int i = 0;
        for (; i <= width - Lanes.WIDTH; i += Lanes.WIDTH) {
            FloatVector d = load(h, i).sub(a).sub(load(normal, i).mul(b)).mul(r);
            put(n, at + i, d);
        }
        for (; i < width; i++) {
            put(n, at + i, r * ((h[i] - a) - normal[i] * b));
        }
    }

    private static void put(GradientRows n, int at, FloatVector d) {
        (n.add ? load(n.dx, at).add(d) : d).intoArray(n.dx, at);
    }

    private static void put(GradientRows n, int at, float d) {
        n.dx[at] = n.add ? n.dx[at] + d : d;
    }

    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record RmsRows(float[] x, float[] gain, float eps, float[] y, float[] rstd, int width) {}

    static void rms(RmsRows n, int row) {
        int at = row * n.width;
        float r = reciprocalRoot(Rows.sumOfSquares(n.x, at, n.width) * inverseOf(n.width) + n.eps);
        n.rstd[row] = r;
        int j = 0;
        for (; j <= n.width - Lanes.WIDTH; j += Lanes.WIDTH) {
            load(n.x, at + j).mul(r).mul(load(n.gain, j)).intoArray(n.y, at + j);
        }
        for (; j < n.width; j++) {
            n.y[at + j] = (n.x[at + j] * r) * n.gain[j];
        }
    }

    static void rmsGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(0, width);
        float r = n.rstd[row];
        int j = 0;
        for (; j <= width - Lanes.WIDTH; j += Lanes.WIDTH) {
            load(n.dy, at + j).mul(load(n.gain, j)).intoArray(h, j);
        }
        for (; j < width; j++) {
            h[j] = n.dy[at + j] * n.gain[j];
        }
        float t = (Rows.dot(h, 0, n.x, at, width) * inverseOf(width)) * ((r * r) * r);
        int i = 0;
        for (; i <= width - Lanes.WIDTH; i += Lanes.WIDTH) {
            put(n, at + i, all(-t).fma(load(n.x, at + i), load(h, i).mul(r)));
        }
        for (; i < width; i++) {
            put(n, at + i, Math.fma(-t, n.x[at + i], h[i] * r));
        }
    }
}
