package org.bitwitness.kernels.reference;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.Exact;
import org.bitwitness.kernels.Tensor;

/** EXACT: integers on a grid that a segment shares; their sum needs no order. */
final class ExactCombining {
    private ExactCombining() {}

    static int[] combine(List<Tensor> byWorker, Tensor out) {
        int size = out.size();
        int[] exponents = new int[(size + Exact.SEGMENT - 1) / Exact.SEGMENT];
        for (int segment = 0; segment < exponents.length; segment++) {
            int from = segment * Exact.SEGMENT;
            int to = Math.min(size, from + Exact.SEGMENT);
            exponents[segment] = exponent(byWorker, from, to);
            switch (exponents[segment]) {
                case Exact.ZERO_SEGMENT -> Arrays.fill(out.data(), from, to, 0f);
                case Exact.NON_FINITE_SEGMENT -> Arrays.fill(out.data(), from, to, Float.NaN);
                default -> sum(byWorker, exponents[segment], from, to, out.data());
            }
        }
        return exponents;
    }

    /** The smallest E with max|g| &lt; 2^E. */
    private static int exponent(List<Tensor> byWorker, int from, int to) {
        float largest = 0f;
        for (Tensor tensor : byWorker) {
            for (int i = from; i < to; i++) {
                float magnitude = Math.abs(tensor.data()[i]);
                if (!Float.isFinite(magnitude)) {
                    return Exact.NON_FINITE_SEGMENT;
                }
                largest = magnitude > largest ? magnitude : largest;
            }
        }
        // As a double every float is normal, so its exponent field is its true binary exponent.
        return largest == 0f ? Exact.ZERO_SEGMENT : Math.getExponent((double) largest) + 1;
    }

    private static void sum(List<Tensor> byWorker, int exponent, int from, int to, float[] out) {
        int shift = 62 - ceilLog2(byWorker.size()) - exponent;
        for (int i = from; i < to; i++) {
            long sum = 0;
            for (Tensor tensor : byWorker) {
                sum += (long) Math.rint(Math.scalb((double) tensor.data()[i], shift));
            }
            out[i] = Math.scalb((float) sum, -shift);
        }
    }

    private static int ceilLog2(int workers) {
        int bits = 0;
        while (1 << bits < workers) {
            bits++;
        }
        return bits;
    }
}
