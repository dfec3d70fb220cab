package org.bitwitness.kernels;

/**
 * What an engine does to hold less in memory, for more time. No bit depends on it: the same operators run in the same order
 * on the same numbers, only when and into which array differs.
 *
 * @param recompute keep the inputs of the model's blocks only, and run a block's forward operators again before its backward
 * @param inPlace add a micro-batch's gradient to the worker's tensor by tensor, as soon as a tensor is complete
 */
public record Economy(boolean recompute, boolean inPlace) {
    /** As fast as it goes. */
    public static final Economy NONE = new Economy(false, false);
}
