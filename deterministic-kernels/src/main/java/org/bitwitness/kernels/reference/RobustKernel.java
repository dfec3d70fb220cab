package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.Tensor;

/** What the robust combining rules do to elements. */
final class RobustKernel {
    private static final int SEGMENT = 65_536;

    private RobustKernel() {}

    static void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        int kept = byWorker.size() - 2 * trim;
        float inverse = (float) (1.0 / (double) kept);
        float[] values = new float[byWorker.size()];
        for (int i = 0; i < out.size(); i++) {
            for (int w = 0; w < values.length; w++) {
                insert(values, w, byWorker.get(w).data()[i]);
            }
            float sum = values[trim];
            for (int n = 1; n < kept; n++) {
                sum = sum + values[trim + n];
            }
            out.data()[i] = sum * inverse;
        }
    }

    /** Puts a value into the first {@code count}, which are sorted: −inf, …, −0, +0, …, +inf, NaN. */
    private static void insert(float[] values, int count, float value) {
        int at = count;
        while (at > 0 && Float.compare(values[at - 1], value) > 0) {
            values[at] = values[at - 1];
            at--;
        }
        values[at] = value;
    }

    static double squaredDistance(List<Tensor> a, List<Tensor> b) {
        double chain = 0.0;
        for (int t = 0; t < a.size(); t++) {
            int size = a.get(t).size();
            float[] difference = new float[size];
            for (int i = 0; i < size; i++) {
                difference[i] = a.get(t).data()[i] - b.get(t).data()[i];
            }
            for (int at = 0; at < size; at += SEGMENT) {
                chain = chain + (double) Lanes.sumOfSquares(difference, at, Math.min(SEGMENT, size - at));
            }
        }
        return chain;
    }

    static void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        for (int t = 0; t < out.size(); t++) {
            for (int i = 0; i < out.get(t).size(); i++) {
                float sum = weights[0] * terms.get(0).get(t).data()[i];
                for (int w = 1; w < weights.length; w++) {
                    sum = Math.fma(weights[w], terms.get(w).get(t).data()[i], sum);
                }
                out.get(t).data()[i] = sum;
            }
        }
    }
}
