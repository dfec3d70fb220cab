package org.bitwitness.kernels;

/**
 * What an engine does to hold less in memory, for more time. No bit depends on it: the same operators run in the same order
 * on the same numbers, only when and into which array differs.
 *
 * @param recompute keep the inputs of the model's blocks only, and run a block's forward operators again before its backward
 * @param inPlace add a micro-batch's gradient to the worker's tensor by tensor, as soon as a tensor is complete
 * @param paged look at a parameter only while an operator reads it, and hand a gradient over as soon as its last operator has
 *     written it: with states and gradients that are not in memory, of neither more than one block is
 */
public record Economy(boolean recompute, boolean inPlace, boolean paged) {
    /** As fast as it goes. */
    public static final Economy NONE = new Economy(false, false, false);
}
