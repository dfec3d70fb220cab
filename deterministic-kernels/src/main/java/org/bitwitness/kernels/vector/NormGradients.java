package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.vector.Norms.GradientRows;

/**
 * The backward of the norms: dx row by row, the gradients of gain and bias summed over the rows. A chunk of 512 rows has
 * chains of its own, so where there are enough chunks for the team each is one task that takes two rows into all three while
 * they are in the first-level cache. With fewer chunks the rows are split for dx, then the columns for the sums.
 */
final class NormGradients {
    private final Workers workers;
    private final Scratch scratch;
    private final GradientRows n;
    private final int rows;

    NormGradients(Workers workers, Scratch scratch, GradientRows n, int rows) {
        this.workers = workers;
        this.scratch = scratch;
        this.n = n;
        this.rows = rows;
    }

    /** Writes one row of dx. */
    @FunctionalInterface
    private interface Row {
        void run(GradientRows n, int row, Scratch.Local local);
    }

    /** Writes rows {@code row} and {@code row + 1} of dx, and adds them to the sums that begin at {@code gain}. */
    @FunctionalInterface
    private interface TwoRows {
        void run(int row, Scratch.Local local, float[] sums, int gain);
    }

    void layer(float[] dGain, float[] dBias) {
        int chunks = Packing.chunks(rows);
        if (chunks < workers.threads()) {
            eachRow(Norms::layerGradient);
            ColumnSums.normalised(workers, n, n.mean(), rows, dGain);
            ColumnSums.plain(workers, n.dy(), rows, n.width(), dBias);
        } else {
            float[] sums = chunkSums(n.mean(), Norms::layerGradient, (row, local, to, gain) -> {
                float[] means = Norms.layerMeans(n, row, local, 0);
                Norms.layerMeans(n, row + 1, local, 1);
                layerTwoRows(n, row, means, to, gain);
            });
            addChunks(sums, 0, chunks, dGain);
            addChunks(sums, n.width(), chunks, dBias);
        }
    }

    void rms(float[] dGain) {
        int chunks = Packing.chunks(rows);
        float[] zeros = scratch.zeros(rows);
        if (chunks < workers.threads()) {
            eachRow(Norms::rmsGradient);
            ColumnSums.normalised(workers, n, zeros, rows, dGain);
        } else {
            float[] sums = chunkSums(zeros, Norms::rmsGradient, (row, local, to, gain) -> {
                Norms.rmsGradient(n, row, local);
                Norms.rmsGradient(n, row + 1, local);
                addRow(n, zeros, row, to, gain);
                addRow(n, zeros, row + 1, to, gain);
            });
            addChunks(sums, 0, chunks, dGain);
        }
    }

    private void eachRow(Row kernel) {
        Pieces.ofRows(workers, rows, n.width(), (from, to, worker) -> {
            for (int row = from; row < to; row++) {
                kernel.run(n, row, scratch.of(worker));
            }
        });
    }

    /**
     * Runs all rows; for every chunk the sums S_c for the gain and, after them, for a bias.
     *
     * @param last for the last row of a chunk that has an odd number
     */
    private float[] chunkSums(float[] mean, Row last, TwoRows kernel) {
        int width = n.width();
        int chunks = Packing.chunks(rows);
        int stride = stride(width);
        float[] sums = scratch.left(Math.multiplyExact(stride, chunks));
        workers.run(chunks, (chunk, worker) -> {
            int to = stride * chunk;
            Arrays.fill(sums, to, to + 2 * width, 0f);
            Scratch.Local local = scratch.of(worker);
            int row = chunk * Packing.CHUNK;
            int end = endOf(chunk, rows);
            for (; row < end - 1; row += 2) {
                kernel.run(row, local, sums, to);
            }
            if (row < end) {
                last.run(n, row, local);
                addRow(n, mean, row, sums, to);
            }
        });
        return sums;
    }

    /** From one chunk's sums to the next, which another thread writes: with cache lines between them. */
    private static int stride(int width) {
        return 2 * width + Scratch.CACHE_GAP;
    }

    private static int endOf(int chunk, int rows) {
        return Math.min(rows - chunk * Packing.CHUNK, Packing.CHUNK) + chunk * Packing.CHUNK;
    }

    /** For every column {@code S = fma(dy, (x − mean)·r, S)} of the gain and {@code S = S + dy} of the bias. */
    private static void addRow(GradientRows n, float[] means, int row, float[] sums, int gain) {
        float[] x = n.x();
        float[] dy = n.dy();
        int width = n.width();
        int whole = Lanes.whole(width);
        int at = row * width;
        int bias = gain + width;
        float mean = means[row];
        float r = n.rstd()[row];
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector d = FloatVector.fromArray(FLOATS, dy, at + j);
            FloatVector normal =
                    FloatVector.fromArray(FLOATS, x, at + j).sub(mean).mul(r);
            d.fma(normal, FloatVector.fromArray(FLOATS, sums, gain + j)).intoArray(sums, gain + j);
            FloatVector.fromArray(FLOATS, sums, bias + j).add(d).intoArray(sums, bias + j);
        }
        for (int j = whole; j < width; j++) {
            sums[gain + j] = Math.fma(dy[at + j], (x[at + j] - mean) * r, sums[gain + j]);
            sums[bias + j] = sums[bias + j] + dy[at + j];
        }
    }

    /**
     * {@link Norms#layerGradient} and {@link #addRow} of two rows, which reads and writes the sums once.
     *
     * @param means a and b of the first row, a and b of the second
     */
    private static void layerTwoRows(GradientRows n, int row, float[] means, float[] sums, int gain) {
        float[] x = n.x();
        float[] dy = n.dy();
        float[] dx = n.dx();
        int width = n.width();
        int whole = Lanes.whole(width);
        int at = row * width;
        int next = at + width;
        int bias = gain + width;
        FloatVector mean0 = FloatVector.broadcast(FLOATS, n.mean()[row]);
        FloatVector mean1 = FloatVector.broadcast(FLOATS, n.mean()[row + 1]);
        FloatVector r0 = FloatVector.broadcast(FLOATS, n.rstd()[row]);
        FloatVector r1 = FloatVector.broadcast(FLOATS, n.rstd()[row + 1]);
        FloatVector a0 = FloatVector.broadcast(FLOATS, means[0]);
        FloatVector b0 = FloatVector.broadcast(FLOATS, means[1]);
        FloatVector a1 = FloatVector.broadcast(FLOATS, means[2]);
        FloatVector b1 = FloatVector.broadcast(FLOATS, means[3]);
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, n.gain(), j);
            FloatVector dy0 = FloatVector.fromArray(FLOATS, dy, at + j);
            FloatVector dy1 = FloatVector.fromArray(FLOATS, dy, next + j);
            FloatVector z0 = FloatVector.fromArray(FLOATS, x, at + j).sub(mean0).mul(r0);
            FloatVector z1 =
                    FloatVector.fromArray(FLOATS, x, next + j).sub(mean1).mul(r1);
            FloatVector d0 = dy0.mul(g).sub(a0).sub(z0.mul(b0)).mul(r0);
            FloatVector d1 = dy1.mul(g).sub(a1).sub(z1.mul(b1)).mul(r1);
            (n.add() ? FloatVector.fromArray(FLOATS, dx, at + j).add(d0) : d0).intoArray(dx, at + j);
            (n.add() ? FloatVector.fromArray(FLOATS, dx, next + j).add(d1) : d1).intoArray(dx, next + j);
            FloatVector sum = dy0.fma(z0, FloatVector.fromArray(FLOATS, sums, gain + j));
            dy1.fma(z1, sum).intoArray(sums, gain + j);
            FloatVector.fromArray(FLOATS, sums, bias + j).add(dy0).add(dy1).intoArray(sums, bias + j);
        }
        Norms.layerGradientRest(n, row, means, 0);
        Norms.layerGradientRest(n, row + 1, means, 2);
        for (int j = whole; j < width; j++) {
            float z0 = (x[at + j] - n.mean()[row]) * n.rstd()[row];
            float z1 = (x[next + j] - n.mean()[row + 1]) * n.rstd()[row + 1];
            sums[gain + j] = Math.fma(dy[next + j], z1, Math.fma(dy[at + j], z0, sums[gain + j]));
            sums[bias + j] = (sums[bias + j] + dy[at + j]) + dy[next + j];
        }
    }

    /** {@code T = T + S_c} from +0, chunk after chunk, for the sums that stand at {@code first} in each. */
    private static void addChunks(float[] sums, int first, int chunks, float[] out) {
        int stride = stride(out.length);
        for (int j = 0; j < out.length; j++) {
            float total = 0f;
            for (int chunk = 0; chunk < chunks; chunk++) {
                total = total + sums[first + chunk * stride + j];
            }
            out[j] = total;
        }
    }
}
