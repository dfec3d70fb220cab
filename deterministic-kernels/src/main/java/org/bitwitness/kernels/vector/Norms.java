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
        centre(n, at, mean);
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

    /** y = x − mean, until it becomes the result. */
    private static void centre(LayerRows n, int at, float mean) {
        int whole = Lanes.whole(n.width);
        for (int j = at; j < at + whole; j += WIDTH) {
            FloatVector.fromArray(FLOATS, n.x, j).sub(mean).intoArray(n.y, j);
        }
        for (int j = at + whole; j < at + n.width; j++) {
            n.y[j] = n.x[j] - mean;
        }
    }

    /** What both backward forms read and write. For RMSNorm {@code mean} is not read. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record GradientRows(
            float[] dy, float[] x, float[] gain, float[] mean, float[] rstd, boolean add, float[] dx, int width) {}

    /** Writes row {@code row} of dx; x̂ of that row is then in {@link #normal}. */
    static void layerGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(WEIGHTED, Lanes.padded(width));
        float[] normal = normal(local, width);
        float r = n.rstd[row];
        prepare(n, at, new Normal(n.mean[row], r), h, normal);
        float invN = inverseOf(width);
        float a = local.rows().sum(h, 0, width) * invN;
        float b = local.rows().dot(h, 0, normal, 0, width) * invN;
        int whole = Lanes.whole(width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector scaled = FloatVector.fromArray(FLOATS, normal, j).mul(b);
            FloatVector d =
                    FloatVector.fromArray(FLOATS, h, j).sub(a).sub(scaled).mul(r);
            (n.add ? FloatVector.fromArray(FLOATS, n.dx, at + j).add(d) : d).intoArray(n.dx, at + j);
        }
        for (int j = whole; j < width; j++) {
            float d = r * ((h[j] - a) - (normal[j] * b));
            n.dx[at + j] = n.add ? n.dx[at + j] + d : d;
        }
    }

    /** What the last backward row left of its normalised input: x̂, or x·r. */
    static float[] normal(Scratch.Local local, int width) {
        return local.buffer(NORMAL, Lanes.padded(width));
    }

    /** What turns x into its normalised value. */
    private record Normal(float mean, float r) {}

    /** h = dy·gain and normal = (x − mean)·r. */
    private static void prepare(GradientRows n, int at, Normal by, float[] h, float[] normal) {
        int whole = Lanes.whole(n.width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain, j);
            FloatVector.fromArray(FLOATS, n.dy, at + j).mul(g).intoArray(h, j);
            FloatVector x = FloatVector.fromArray(FLOATS, n.x, at + j);
            x.sub(by.mean).mul(by.r).intoArray(normal, j);
        }
        for (int j = whole; j < n.width; j++) {
            h[j] = n.dy[at + j] * n.gain[j];
            normal[j] = (n.x[at + j] - by.mean) * by.r;
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

    /** Writes row {@code row} of dx; x·r of that row is then in {@link #normal}. */
    static void rmsGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float[] h = local.buffer(WEIGHTED, Lanes.padded(width));
        float r = n.rstd[row];
        // x − 0 is x.
        prepare(n, at, new Normal(0f, r), h, normal(local, width));
        float t = (local.rows().dot(h, 0, n.x, at, width) * inverseOf(width)) * ((r * r) * r);
        FloatVector minusT = FloatVector.broadcast(FLOATS, -t);
        int whole = Lanes.whole(width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector direct = FloatVector.fromArray(FLOATS, h, j).mul(r);
            FloatVector d = minusT.fma(FloatVector.fromArray(FLOATS, n.x, at + j), direct);
            (n.add ? FloatVector.fromArray(FLOATS, n.dx, at + j).add(d) : d).intoArray(n.dx, at + j);
        }
        for (int j = whole; j < width; j++) {
            float d = Math.fma(-t, n.x[at + j], h[j] * r);
            n.dx[at + j] = n.add ? n.dx[at + j] + d : d;
        }
    }
}
