package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.Tensor;

/** Sums over whole tensors: float32 inside segments of 65,536 elements, a binary64 chain over the segments. */
final class GlobalSums {
    private static final int SEGMENT = 65_536;

    private GlobalSums() {}

    static double sumOfSquares(List<Tensor> tensors) {
        double chain = 0.0;
        for (Tensor tensor : tensors) {
            for (int at = 0; at < tensor.size(); at += SEGMENT) {
                int n = Math.min(SEGMENT, tensor.size() - at);
                chain = chain + (double) Lanes.sumOfSquares(tensor.data(), at, n);
            }
        }
        return chain;
    }

    static double sum(Tensor losses, double start) {
        double chain = start;
        for (int at = 0; at < losses.size(); at += SEGMENT) {
            int n = Math.min(SEGMENT, losses.size() - at);
            chain = chain + (double) Lanes.sum(losses.data(), at, n);
        }
        return chain;
    }
}
