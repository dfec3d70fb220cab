package org.bitwitness.kernels;

import org.bitwitness.kernels.program.Gradients;

/**
 * What one worker computed in a step.
 *
 * @param gradients after accumulation over the worker's micro-batches, as handed to the reduction
 * @param lossSum D_w, binary64 chain over the micro-batches' token losses
 * @param targetCount counted targets
 */
public record GradientResult(Gradients gradients, double lossSum, long targetCount) {}
