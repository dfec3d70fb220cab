package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.vector.Norms.GradientRows;

/**
 * The backward of the norms: dx row by row, the gradients of gain and bias summed over the rows. A chunk of 512 rows has
 * chains of its own, so where there are enough chunks for the team each is one task that takes a row into all three while
 * it is in the first-level cache. With fewer chunks the rows are split for dx, then the columns for the sums.
 */
final class NormGradients {
    private NormGradients() {}

    /** Writes one row of dx and leaves its normalised input in {@link Norms#normal}. */
    @FunctionalInterface
    private interface RowGradient {
        void run(GradientRows n, int row, Scratch.Local local);
    }

    static void layer(Workers workers, Scratch scratch, GradientRows n, int rows, float[] dGain, float[] dBias) {
        int chunks = Packing.chunks(rows);
        if (chunks < workers.threads()) {
            eachRow(workers, scratch, n, rows, Norms::layerGradient);
            ColumnSums.normalised(workers, n, n.mean(), rows, dGain);
            ColumnSums.plain(workers, n.dy(), rows, n.width(), dBias);
        } else {
            float[] sums = chunkSums(workers, scratch, n, rows, Norms::layerGradient);
            addChunks(sums, 0, chunks, dGain);
            addChunks(sums, n.width(), chunks, dBias);
        }
    }

    static void rms(Workers workers, Scratch scratch, GradientRows n, int rows, float[] dGain) {
        int chunks = Packing.chunks(rows);
        if (chunks < workers.threads()) {
            eachRow(workers, scratch, n, rows, Norms::rmsGradient);
            ColumnSums.normalised(workers, n, scratch.zeros(rows), rows, dGain);
        } else {
            addChunks(chunkSums(workers, scratch, n, rows, Norms::rmsGradient), 0, chunks, dGain);
        }
    }

    private static void eachRow(Workers workers, Scratch scratch, GradientRows n, int rows, RowGradient kernel) {
        Pieces.ofRows(workers, rows, n.width(), (from, to, worker) -> {
            for (int row = from; row < to; row++) {
                kernel.run(n, row, scratch.of(worker));
            }
        });
    }

    /** Runs all rows; for every chunk the sums S_c for the gain and, after them, for a bias. */
    private static float[] chunkSums(Workers workers, Scratch scratch, GradientRows n, int rows, RowGradient kernel) {
        int width = n.width();
        int chunks = Packing.chunks(rows);
        int stride = stride(width);
        float[] sums = scratch.left(Math.multiplyExact(stride, chunks));
        workers.run(chunks, (chunk, worker) -> {
            int to = stride * chunk;
            Arrays.fill(sums, to, to + 2 * width, 0f);
            Scratch.Local local = scratch.of(worker);
            for (int row = chunk * Packing.CHUNK; row < endOf(chunk, rows); row++) {
                kernel.run(n, row, local);
                addRow(n.dy(), row * width, Norms.normal(local, width), sums, to, width);
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

    /** For every column {@code S = fma(dy, normal, S)} of the gain and {@code S = S + dy} of the bias. */
    private static void addRow(float[] dy, int at, float[] normal, float[] sums, int gain, int width) {
        int whole = Lanes.whole(width);
        int bias = gain + width;
        for (int j = 0; j < whole; j += WIDTH) {
            FloatVector d = FloatVector.fromArray(FLOATS, dy, at + j);
            FloatVector factor = FloatVector.fromArray(FLOATS, normal, j);
            FloatVector products = d.fma(factor, FloatVector.fromArray(FLOATS, sums, gain + j));
            products.intoArray(sums, gain + j);
            FloatVector.fromArray(FLOATS, sums, bias + j).add(d).intoArray(sums, bias + j);
        }
        for (int j = whole; j < width; j++) {
            sums[gain + j] = Math.fma(dy[at + j], normal[j], sums[gain + j]);
            sums[bias + j] = sums[bias + j] + dy[at + j];
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
