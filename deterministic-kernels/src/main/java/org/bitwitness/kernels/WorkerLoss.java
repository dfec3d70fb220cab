package org.bitwitness.kernels;

/**
 * What a worker says about its loss.
 *
 * @param lossSum D_w
 * @param targetCount counted targets, not negative
 */
public record WorkerLoss(double lossSum, long targetCount) {
    public WorkerLoss {
        if (targetCount < 0) {
            throw new IllegalArgumentException("a target count is not negative, got " + targetCount);
        }
    }
}
