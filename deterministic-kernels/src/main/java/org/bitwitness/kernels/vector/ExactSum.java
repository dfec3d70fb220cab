package org.bitwitness.kernels.vector;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.Exact;
import org.bitwitness.kernels.Tensor;

/** EXACT combining (P12) of one segment: fixed point with 62 − ⌈log2 R⌉ bits, so that integer sums need no order. */
final class ExactSum {
    private ExactSum() {}

    /** Writes the sum of elements {@code [from, to)} and returns the segment's exponent. */
    static int segment(List<Tensor> byWorker, float[] out, int from, int to, Rows rows) {
        float largest = 0f;
        for (Tensor worker : byWorker) {
            if (!Elements.finite(worker.data(), from, to)) {
                Arrays.fill(out, from, to, Float.NaN);
                return Exact.NON_FINITE_SEGMENT;
            }
            float a = rows.largestMagnitude(worker.data(), from, to - from);
            largest = a > largest ? a : largest;
        }
        if (largest == 0f) {
            Arrays.fill(out, from, to, 0f);
            return Exact.ZERO_SEGMENT;
        }
        int exponent = exponentAbove(largest);
        int shift = 62 - bitsFor(byWorker.size()) - exponent;
        double up = Math.scalb(1.0, shift);
        double down = Math.scalb(1.0, -shift);
        for (int i = from; i < to; i++) {
            long sum = 0;
            for (Tensor worker : byWorker) {
                sum += (long) Math.rint(worker.data()[i] * up);
            }
            out[i] = (float) ((float) sum * down);
        }
        return exponent;
    }

    /** The smallest E with {@code magnitude < 2^E}. */
    private static int exponentAbove(float magnitude) {
        int bits = Float.floatToRawIntBits(magnitude);
        int biased = bits >>> 23;
        return biased != 0 ? biased - 126 : 32 - Integer.numberOfLeadingZeros(bits) - 149;
    }

    /** ⌈log2 workers⌉. */
    private static int bitsFor(int workers) {
        return 32 - Integer.numberOfLeadingZeros(workers - 1);
    }
}
