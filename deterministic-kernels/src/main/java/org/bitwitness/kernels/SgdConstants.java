package org.bitwitness.kernels;

/**
 * The float32 constants of one SGD update, each computed in binary64 and rounded once.
 *
 * @param momentum (float) μ
 * @param keep o = (float)(1 − dampening); 1 in the first update (t = 1)
 * @param step (float) lr
 * @param weightDecay (float) wd, for tensors that decay
 * @param clip factor on every gradient element; 1.0f when nothing is clipped
 * @param nesterov whether the update looks one momentum step ahead
 */
public record SgdConstants(float momentum, float keep, float step, float weightDecay, float clip, boolean nesterov) {}
