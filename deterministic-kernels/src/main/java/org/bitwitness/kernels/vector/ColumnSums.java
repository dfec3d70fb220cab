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
    private ColumnSums() {}

    /** {@code out[j] = DOT_n(dy[n][j], 1)}. */
    static void plain(Workers workers, float[] dy, int rows, int columns, float[] out) {
        int whole = Lanes.whole(columns);
        workers.run(Packing.panels(columns, WIDTH), (i, worker) -> {
            if (i * WIDTH < whole) {
                plainColumns(dy, rows, columns, out, i * WIDTH);
            } else {
                plainRest(dy, rows, columns, out, whole);
            }
        });
    }

    private static void plainColumns(float[] dy, int rows, int columns, float[] out, int j) {
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
        workers.run(Packing.panels(columns, WIDTH), (i, worker) -> {
            if (i * WIDTH < whole) {
                normalisedColumns(n, mean, rows, out, i * WIDTH);
            } else {
                normalisedRest(n, mean, rows, out, whole);
            }
        });
    }

    private static void normalisedColumns(Norms.GradientRows n, float[] mean, int rows, float[] out, int j) {
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
