package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;

/**
 * LayerNorm and RMSNorm (P6), row by row: a row's result depends on nothing but the row. The formulas stand twice, for
 * whole registers and for the rest of a row.
 */
final class Norms {
    private static final int WEIGHTED = 0;
    private static final int NORMAL = 1;

    private Norms() {}

    static float inverseOf(int width) {
        return (float) (1.0 / width);
    }

    /** 1/√x, two rounded operations. A binary64 root rounded to binary32 is the correctly rounded binary32 root. */
    static float reciprocalRoot(float x) {
        return 1f / (float) Math.sqrt(x);
    }

    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record LayerRows(
            float[] x, float[] gain, float[] bias, float eps, float[] y, float[] mean, float[] rstd, int width) {}

    /** Writes row {@code row} of y, its mean and its r. */
    static void layer(LayerRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float invN = inverseOf(width);
        float mean = local.rows().sum(n.x, at, width) * invN;
        centre(n.x, n.y, at, width, mean, 1f);
        float variance = local.rows().sumOfSquares(n.y, at, width) * invN;
        float r = reciprocalRoot(variance + n.eps);
        n.mean[row] = mean;
        n.rstd[row] = r;
        int whole = Lanes.whole(width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain, j);
            FloatVector normal = FloatVector.fromArray(FLOATS, n.y, at + j).mul(r);
            normal.fma(g, FloatVector.fromArray(FLOATS, n.bias, j)).intoArray(n.y, at + j);
        }
        for (int j = whole; j < width; j++) {
            n.y[at + j] = Math.fma(n.y[at + j] * r, n.gain[j], n.bias[j]);
        }
    }

    /** z = (x − mean)·r; multiplying by 1 changes nothing. */
    private static void centre(float[] x, float[] z, int at, int width, float mean, float r) {
        int whole = Lanes.whole(width);
        for (int j = at; j < at + whole; j += WIDTH) {
            FloatVector.fromArray(FLOATS, x, j).sub(mean).mul(r).intoArray(z, j);
        }
        for (int j = at + whole; j < at + width; j++) {
            z[j] = (x[j] - mean) * r;
        }
    }

    /** What both backward forms read and write. For RMSNorm {@code mean} is not read. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record GradientRows(
            float[] dy, float[] x, float[] gain, float[] mean, float[] rstd, boolean add, float[] dx, int width) {}

    static void layerGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(WEIGHTED, Lanes.padded(width));
        float[] normal = local.buffer(NORMAL, Lanes.padded(width));
        System.arraycopy(n.x, at, normal, 0, width);
        centre(normal, normal, 0, width, n.mean[row], n.rstd[row]);
        weighted(n, at, h);
        float invN = inverseOf(width);
        float a = local.rows().sum(h, 0, width) * invN;
        float b = local.rows().dot(h, 0, normal, 0, width) * invN;
        float r = n.rstd[row];
        for (int i = 0; i < width; i += WIDTH) {
            FloatVector scaled = FloatVector.fromArray(FLOATS, normal, i).mul(b);
            FloatVector.fromArray(FLOATS, h, i).sub(a).sub(scaled).mul(r).intoArray(h, i);
        }
        put(n, at, h);
    }

    /** h = dy·gain. */
    private static void weighted(GradientRows n, int at, float[] h) {
        int whole = Lanes.whole(n.width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain, j);
            FloatVector.fromArray(FLOATS, n.dy, at + j).mul(g).intoArray(h, j);
        }
        for (int j = whole; j < n.width; j++) {
            h[j] = n.dy[at + j] * n.gain[j];
        }
    }

    /** dx = d, or dx + d. */
    private static void put(GradientRows n, int at, float[] d) {
        if (!n.add) {
            System.arraycopy(d, 0, n.dx, at, n.width);
            return;
        }
        int whole = Lanes.whole(n.width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector sum = FloatVector.fromArray(FLOATS, n.dx, at + j).add(FloatVector.fromArray(FLOATS, d, j));
            sum.intoArray(n.dx, at + j);
        }
        for (int j = whole; j < n.width; j++) {
            n.dx[at + j] = n.dx[at + j] + d[j];
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record RmsRows(float[] x, float[] gain, float eps, float[] y, float[] rstd, int width) {}

    static void rms(RmsRows n, int row, Scratch.Local local) {
        int at = row * n.width;
        float mean = local.rows().sumOfSquares(n.x, at, n.width) * inverseOf(n.width);
        float r = reciprocalRoot(mean + n.eps);
        n.rstd[row] = r;
        int whole = Lanes.whole(n.width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain, j);
            FloatVector.fromArray(FLOATS, n.x, at + j).mul(r).mul(g).intoArray(n.y, at + j);
        }
        for (int j = whole; j < n.width; j++) {
            n.y[at + j] = (n.x[at + j] * r) * n.gain[j];
        }
    }

    static void rmsGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(WEIGHTED, Lanes.padded(width));
        float[] x = local.buffer(NORMAL, Lanes.padded(width));
        System.arraycopy(n.x, at, x, 0, width);
        weighted(n, at, h);
        float r = n.rstd[row];
        float t = (local.rows().dot(h, 0, x, 0, width) * inverseOf(width)) * ((r * r) * r);
        FloatVector minusT = FloatVector.broadcast(FLOATS, -t);
        for (int i = 0; i < width; i += WIDTH) {
            FloatVector direct = FloatVector.fromArray(FLOATS, h, i).mul(r);
            minusT.fma(FloatVector.fromArray(FLOATS, x, i), direct).intoArray(h, i);
        }
        put(n, at, h);
    }
}
