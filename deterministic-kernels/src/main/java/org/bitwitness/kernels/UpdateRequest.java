package org.bitwitness.kernels;

import org.bitwitness.protocol.record.OptimizerSpec;

/**
 * What an update needs besides state and gradient.
 *
 * @param learningRate of this step, binary64
 * @param clip from {@link ReduceResult}
 */
public record UpdateRequest(double learningRate, float clip, OptimizerSpec optimizer) {}
