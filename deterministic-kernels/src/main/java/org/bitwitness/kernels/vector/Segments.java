package org.bitwitness.kernels.vector;

import java.util.List;
import org.bitwitness.kernels.Tensor;

/** Segments of 65,536 elements, restarting at each tensor (P3): float32 sums inside, a binary64 chain over them. */
final class Segments {
    static final int LENGTH = 65_536;

    private Segments() {}

    static int count(int elements) {
        return Packing.panels(elements, LENGTH);
    }

    /** The chain from +0 over SUMSQ128 of every segment of every tensor, in order. */
    static double sumOfSquares(Workers workers, Scratch scratch, List<Tensor> tensors) {
        return chain(
                workers,
                tensors,
                (i, from, count, worker) ->
                        scratch.of(worker).rows().sumOfSquares(tensors.get(i).data(), from, count));
    }

    /** The sum over one segment of one tensor. */
    @FunctionalInterface
    interface SegmentSum {
        float of(int tensor, int from, int count, int worker);
    }

    /** The chain from +0 over the sums of every segment of every tensor, in order. */
    static double chain(Workers workers, List<Tensor> tensors, SegmentSum sum) {
        int[] starts = new int[tensors.size() + 1];
        for (int i = 0; i < tensors.size(); i++) {
            starts[i + 1] = starts[i] + count(tensors.get(i).size());
        }
        float[] sums = new float[starts[tensors.size()]];
        workers.run(tensors.size(), (i, worker) -> {
            int size = tensors.get(i).size();
            for (int s = starts[i]; s < starts[i + 1]; s++) {
                int from = (s - starts[i]) * LENGTH;
                sums[s] = sum.of(i, from, Math.min(LENGTH, size - from), worker);
            }
        });
        return chain(sums, 0.0);
    }

    /** The chain from {@code start} over SUM128 of every segment. */
    static double sum(Rows rows, float[] x, double start) {
        float[] sums = new float[count(x.length)];
        for (int s = 0; s < sums.length; s++) {
            int from = s * LENGTH;
            sums[s] = rows.sum(x, from, Math.min(LENGTH, x.length - from));
        }
        return chain(sums, start);
    }

    private static double chain(float[] sums, double start) {
        double d = start;
        for (float s : sums) {
            d = d + s;
        }
        return d;
    }
}
