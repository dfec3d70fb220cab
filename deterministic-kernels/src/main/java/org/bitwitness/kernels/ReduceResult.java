package org.bitwitness.kernels;

import org.bitwitness.kernels.program.Gradients;

/**
 * Outcome of the reduction phase.
 *
 * @param combined the combined gradient as the update reads it: after averaging, before clipping; combinedRoot is over it
 * @param norm its global norm, binary64
 * @param clip factor the update multiplies with; 1.0f without clipping
 * @param loss of the whole step at the parameters before the update
 * @param targetCount counted targets of all workers
 * @param valid false if loss or norm is not finite or a target count is 0: then there is no update
 */
public record ReduceResult(Gradients combined, double norm, float clip, float loss, long targetCount, boolean valid) {}
