package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;

/**
 * DOT over the flat tokens for every column (gradients of biases and gains): per chunk of 512 rows a chain from +0, rows
 * ascending, then {@code T = T + S_c}. A lane is a column. Multiplying by 1 inside a fused multiply-add is exact, so a
 * bias gradient is a chain of plain additions.
 */
final class ColumnSums {
    /** Columns of one task: whole cache lines, so that threads do not share any. */
    private static final int STRIPE = 64;

    private ColumnSums() {}

    /** {@code out[j] = DOT_n(dy[n][j], 1)}. */
    static void plain(Workers workers, float[] dy, int rows, int columns, float[] out) {
        int whole = Lanes.whole(columns);
        workers.run(Packing.panels(columns, STRIPE), (i, worker) -> {
            int from = i * STRIPE;
            int end = Math.min(whole, from + STRIPE);
            int j = from;
            for (; j + 4 * WIDTH <= end; j += 4 * WIDTH) {
                plainFour(dy, rows, columns, out, j);
            }
            for (; j < end; j += WIDTH) {
                plainOne(dy, rows, columns, out, j);
            }
            if (from + STRIPE >= columns) {
                plainRest(dy, rows, columns, out, whole);
            }
        });
    }

    /** Four registers of columns at once: four chains, and whole cache lines side by side. */
    private static void plainFour(float[] dy, int rows, int columns, float[] out, int j) {
        FloatVector t0 = FloatVector.zero(FLOATS);
        FloatVector t1 = t0;
        FloatVector t2 = t0;
        FloatVector t3 = t0;
        for (int first = 0; first < rows; first += Packing.CHUNK) {
            int end = Math.min(rows, first + Packing.CHUNK);
            FloatVector s0 = FloatVector.zero(FLOATS);
            FloatVector s1 = s0;
            FloatVector s2 = s0;
            FloatVector s3 = s0;
            for (int at = first * columns + j; at < end * columns; at += columns) {
                s0 = s0.add(FloatVector.fromArray(FLOATS, dy, at));
                s1 = s1.add(FloatVector.fromArray(FLOATS, dy, at + WIDTH));
                s2 = s2.add(FloatVector.fromArray(FLOATS, dy, at + 2 * WIDTH));
                s3 = s3.add(FloatVector.fromArray(FLOATS, dy, at + 3 * WIDTH));
            }
            t0 = t0.add(s0);
            t1 = t1.add(s1);
            t2 = t2.add(s2);
            t3 = t3.add(s3);
        }
        t0.intoArray(out, j);
        t1.intoArray(out, j + WIDTH);
        t2.intoArray(out, j + 2 * WIDTH);
        t3.intoArray(out, j + 3 * WIDTH);
    }

    private static void plainOne(float[] dy, int rows, int columns, float[] out, int j) {
        FloatVector total = FloatVector.zero(FLOATS);
        for (int first = 0; first < rows; first += Packing.CHUNK) {
            int end = Math.min(rows, first + Packing.CHUNK);
            FloatVector s = FloatVector.zero(FLOATS);
            for (int n = first; n < end; n++) {
                s = s.add(FloatVector.fromArray(FLOATS, dy, n * columns + j));
            }
            total = total.add(s);
        }
        total.intoArray(out, j);
    }

    private static void plainRest(float[] dy, int rows, int columns, float[] out, int from) {
        for (int j = from; j < columns; j++) {
            float total = 0f;
            for (int first = 0; first < rows; first += Packing.CHUNK) {
                float s = 0f;
                for (int n = first; n < Math.min(rows, first + Packing.CHUNK); n++) {
                    s = s + dy[n * columns + j];
                }
                total = total + s;
            }
            out[j] = total;
        }
    }

    /**
     * {@code out[j] = DOT_n(dy[n][j], (x[n][j] − mean[n])·rstd[n])}.
     *
     * @param mean [rows]; all +0 where nothing is subtracted: x − 0 is x
     */
    static void normalised(Workers workers, Norms.GradientRows n, float[] mean, int rows, float[] out) {
        int columns = n.width();
        int whole = Lanes.whole(columns);
        workers.run(Packing.panels(columns, STRIPE), (i, worker) -> {
            int from = i * STRIPE;
            int end = Math.min(whole, from + STRIPE);
            int j = from;
            for (; j + 4 * WIDTH <= end; j += 4 * WIDTH) {
                normalisedFour(n, mean, rows, out, j);
            }
            for (; j < end; j += WIDTH) {
                normalisedOne(n, mean, rows, out, j);
            }
            if (from + STRIPE >= columns) {
                normalisedRest(n, mean, rows, out, whole);
            }
        });
    }

    private static void normalisedFour(Norms.GradientRows n, float[] mean, int rows, float[] out, int j) {
        float[] x = n.x();
        float[] dy = n.dy();
        int columns = n.width();
        FloatVector t0 = FloatVector.zero(FLOATS);
        FloatVector t1 = t0;
        FloatVector t2 = t0;
        FloatVector t3 = t0;
        for (int first = 0; first < rows; first += Packing.CHUNK) {
            int end = Math.min(rows, first + Packing.CHUNK);
            FloatVector s0 = FloatVector.zero(FLOATS);
            FloatVector s1 = s0;
            FloatVector s2 = s0;
            FloatVector s3 = s0;
            for (int row = first; row < end; row++) {
                int at = row * columns + j;
                FloatVector mu = FloatVector.broadcast(FLOATS, mean[row]);
                FloatVector r = FloatVector.broadcast(FLOATS, n.rstd()[row]);
                FloatVector z = FloatVector.fromArray(FLOATS, x, at).sub(mu).mul(r);
                s0 = FloatVector.fromArray(FLOATS, dy, at).fma(z, s0);
                z = FloatVector.fromArray(FLOATS, x, at + WIDTH).sub(mu).mul(r);
                s1 = FloatVector.fromArray(FLOATS, dy, at + WIDTH).fma(z, s1);
                z = FloatVector.fromArray(FLOATS, x, at + 2 * WIDTH).sub(mu).mul(r);
                s2 = FloatVector.fromArray(FLOATS, dy, at + 2 * WIDTH).fma(z, s2);
                z = FloatVector.fromArray(FLOATS, x, at + 3 * WIDTH).sub(mu).mul(r);
                s3 = FloatVector.fromArray(FLOATS, dy, at + 3 * WIDTH).fma(z, s3);
            }
            t0 = t0.add(s0);
            t1 = t1.add(s1);
            t2 = t2.add(s2);
            t3 = t3.add(s3);
        }
        t0.intoArray(out, j);
        t1.intoArray(out, j + WIDTH);
        t2.intoArray(out, j + 2 * WIDTH);
        t3.intoArray(out, j + 3 * WIDTH);
    }

    private static void normalisedOne(Norms.GradientRows n, float[] mean, int rows, float[] out, int j) {
        FloatVector total = FloatVector.zero(FLOATS);
        for (int first = 0; first < rows; first += Packing.CHUNK) {
            int end = Math.min(rows, first + Packing.CHUNK);
            FloatVector s = FloatVector.zero(FLOATS);
            for (int row = first; row < end; row++) {
                int at = row * n.width() + j;
                FloatVector normal =
                        FloatVector.fromArray(FLOATS, n.x(), at).sub(mean[row]).mul(n.rstd()[row]);
                s = FloatVector.fromArray(FLOATS, n.dy(), at).fma(normal, s);
            }
            total = total.add(s);
        }
        total.intoArray(out, j);
    }

    private static void normalisedRest(Norms.GradientRows n, float[] mean, int rows, float[] out, int from) {
        for (int j = from; j < n.width(); j++) {
            float total = 0f;
            for (int first = 0; first < rows; first += Packing.CHUNK) {
                float s = 0f;
                for (int row = first; row < Math.min(rows, first + Packing.CHUNK); row++) {
                    int at = row * n.width() + j;
                    s = Math.fma(n.dy()[at], (n.x()[at] - mean[row]) * n.rstd()[row], s);
                }
                total = total + s;
            }
            out[j] = total;
        }
    }
}
