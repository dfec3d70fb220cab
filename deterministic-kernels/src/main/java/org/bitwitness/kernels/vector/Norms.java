package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;

/**
 * LayerNorm and RMSNorm (P6), row by row: a row's result depends on nothing but the row. The formulas stand twice, for
 * whole registers and for the rest of a row.
 */
final class Norms {
    private static final int MEANS = 0;

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
        float variance = local.rows().centredSquares(n.x, at, width, mean) * invN;
        float r = reciprocalRoot(variance + n.eps);
        n.mean[row] = mean;
        n.rstd[row] = r;
        int whole = Lanes.whole(width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector normal =
                    FloatVector.fromArray(FLOATS, n.x, at + j).sub(mean).mul(r);
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain, j);
            normal.fma(g, FloatVector.fromArray(FLOATS, n.bias, j)).intoArray(n.y, at + j);
        }
        for (int j = whole; j < width; j++) {
            n.y[at + j] = Math.fma((n.x[at + j] - mean) * r, n.gain[j], n.bias[j]);
        }
    }

    /** What both backward forms read and write. For RMSNorm {@code mean} is not read. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record GradientRows(
            float[] dy, float[] x, float[] gain, float[] mean, float[] rstd, boolean add, float[] dx, int width) {}

    /** Writes row {@code row} of dx. */
    static void layerGradient(GradientRows n, int row, Scratch.Local local) {
        float[] means = layerMeans(n, row, local, 0);
        int whole = Lanes.whole(n.width);
        int at = row * n.width;
        float mean = n.mean[row];
        float r = n.rstd[row];
        float a = means[0];
        float b = means[1];
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector h = FloatVector.fromArray(FLOATS, n.dy, at + j).mul(FloatVector.fromArray(FLOATS, n.gain, j));
            FloatVector normal =
                    FloatVector.fromArray(FLOATS, n.x, at + j).sub(mean).mul(r);
            FloatVector d = h.sub(a).sub(normal.mul(b)).mul(r);
            (n.add ? FloatVector.fromArray(FLOATS, n.dx, at + j).add(d) : d).intoArray(n.dx, at + j);
        }
        layerGradientRest(n, row, means, 0);
    }

    /** a = mean(h) and b = mean(h·x̂) of row {@code row}, with h = dy·gain, to places 2·{@code pair} of the result. */
    static float[] layerMeans(GradientRows n, int row, Scratch.Local local, int pair) {
        float[] means = local.buffer(MEANS, 4);
        float invN = inverseOf(n.width);
        local.rows().weigh(n, row * n.width, n.mean[row], n.rstd[row]);
        means[2 * pair] = local.rows().weightedSum() * invN;
        means[2 * pair + 1] = local.rows().weightedDot() * invN;
        return means;
    }

    /** The columns of a row of dx that fill no register; a and b are {@code means[at]} and the next. */
    static void layerGradientRest(GradientRows n, int row, float[] means, int at) {
        float r = n.rstd[row];
        int first = row * n.width;
        for (int j = Lanes.whole(n.width); j < n.width; j++) {
            float normal = (n.x[first + j] - n.mean[row]) * r;
            float d = r * ((n.dy[first + j] * n.gain[j] - means[at]) - (normal * means[at + 1]));
            n.dx[first + j] = n.add ? n.dx[first + j] + d : d;
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

    /** Writes row {@code row} of dx. */
    static void rmsGradient(GradientRows n, int row, Scratch.Local local) {
        int width = n.width;
        int at = row * width;
        float r = n.rstd[row];
        // (x − 0)·1 is x.
        local.rows().weigh(n, at, 0f, 1f);
        float t = (local.rows().weightedDot() * inverseOf(width)) * ((r * r) * r);
        FloatVector minusT = FloatVector.broadcast(FLOATS, -t);
        int whole = Lanes.whole(width);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector h = FloatVector.fromArray(FLOATS, n.dy, at + j).mul(FloatVector.fromArray(FLOATS, n.gain, j));
            FloatVector d = minusT.fma(FloatVector.fromArray(FLOATS, n.x, at + j), h.mul(r));
            (n.add ? FloatVector.fromArray(FLOATS, n.dx, at + j).add(d) : d).intoArray(n.dx, at + j);
        }
        for (int j = whole; j < width; j++) {
            float d = Math.fma(-t, n.x[at + j], (n.dy[at + j] * n.gain[j]) * r);
            n.dx[at + j] = n.add ? n.dx[at + j] + d : d;
        }
    }
}
