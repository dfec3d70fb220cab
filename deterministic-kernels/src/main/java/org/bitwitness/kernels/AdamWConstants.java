package org.bitwitness.kernels;

/**
 * The float32 constants of one AdamW update, each computed in binary64 and rounded once.
 *
 * @param oneMinusBeta1 o1 = (float)(1 − b1), from the binary64 b1
 * @param oneMinusBeta2 o2 = (float)(1 − b2)
 * @param step (float)(lr/(1 − b1^t))
 * @param rootCorrection rc = (float)(1/√(1 − b2^t))
 * @param decay dec = (float)(1 − lr·wd), for tensors that decay; the others use 1
 * @param clip factor on every gradient element; 1.0f when nothing is clipped
 */
public record AdamWConstants(
        float beta1,
        float beta2,
        float oneMinusBeta1,
        float oneMinusBeta2,
        float eps,
        float step,
        float rootCorrection,
        float decay,
        float clip) {}
