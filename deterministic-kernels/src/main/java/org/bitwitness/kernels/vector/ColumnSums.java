package org.bitwitness.kernels.vector;

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
        workers.run(Packing.panels(columns, Lanes.WIDTH), (i, worker) -> {
            int j = i * Lanes.WIDTH;
            int count = Math.min(Lanes.WIDTH, columns - j);
            FloatVector total = Lanes.zero();
            for (int first = 0; first < rows; first += Packing.CHUNK) {
                int end = Math.min(rows, first + Packing.CHUNK);
                total = total.add(chunk(dy, first, end, columns, j, count));
            }
            Lanes.store(total, out, j, count);
        });
    }

    private static FloatVector chunk(float[] dy, int first, int end, int columns, int j, int count) {
        FloatVector s = Lanes.zero();
        if (count == Lanes.WIDTH) {
            for (int n = first; n < end; n++) {
                s = s.add(Lanes.load(dy, n * columns + j));
            }
        } else {
            for (int n = first; n < end; n++) {
                s = s.add(Lanes.load(dy, n * columns + j, count));
            }
        }
        return s;
    }

    /** {@code out[j] = DOT_n(dy[n][j], (x[n][j] − mean[n])·rstd[n])}; without means (x[n][j]·rstd[n]). */
    static void normalised(Workers workers, Norms.GradientRows n, boolean centred, int rows, float[] out) {
        int columns = n.width();
        workers.run(Packing.panels(columns, Lanes.WIDTH), (i, worker) -> {
            int j = i * Lanes.WIDTH;
            int count = Math.min(Lanes.WIDTH, columns - j);
            FloatVector total = Lanes.zero();
            for (int first = 0; first < rows; first += Packing.CHUNK) {
                int end = Math.min(rows, first + Packing.CHUNK);
                total = total.add(normalisedChunk(n, centred, first, end, j, count));
            }
            Lanes.store(total, out, j, count);
        });
    }

    private static FloatVector normalisedChunk(
            Norms.GradientRows n, boolean centred, int first, int end, int j, int count) {
        FloatVector s = Lanes.zero();
        for (int row = first; row < end; row++) {
            int at = row * n.width() + j;
            FloatVector x = Lanes.load(n.x(), at, count);
            if (centred) {
                x = x.sub(n.mean()[row]);
            }
            s = Lanes.load(n.dy(), at, count).fma(x.mul(n.rstd()[row]), s);
        }
        return s;
    }
}
