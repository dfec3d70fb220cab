package org.bitwitness.kernels;

import org.bitwitness.protocol.record.OptimizerSpec;

/**
 * What an update needs besides state and gradient.
 *
 * @param learningRate of this step, binary64
 * @param clip from {@link ReduceResult}
 * @param gradientBound upper bound of the magnitude of every element of the gradient before clipping, which the caller
 *     has computed and not only read; infinite if unknown
 */
public record UpdateRequest(double learningRate, float clip, double gradientBound, OptimizerSpec optimizer) {
    /** Squares of smaller elements may vanish from the norm. */
    private static final double VANISHING = 0x1p-60;

    /** An update whose gradient comes from elsewhere. */
    public UpdateRequest(double learningRate, float clip, OptimizerSpec optimizer) {
        this(learningRate, clip, Double.POSITIVE_INFINITY, optimizer);
    }

    /** An update by the gradient that was reduced here: no element is larger than the norm, but for roundings. */
    public static UpdateRequest of(ReduceResult reduced, double learningRate, OptimizerSpec optimizer) {
        return new UpdateRequest(learningRate, reduced.clip(), 2 * reduced.norm() + VANISHING, optimizer);
    }
}
