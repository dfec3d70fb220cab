package org.bitwitness.kernels;

/**
 * Told of a worker's gradient, parameter by parameter, as soon as nothing changes it any more: it can travel while the rest is
 * computed.
 */
@FunctionalInterface
public interface GradientListener {
    GradientListener NONE = (_, _) -> {};

    /**
     * One parameter's gradient is final. Every parameter comes once.
     *
     * @param parameter index in manifest order
     * @param gradient to be read; on a host backend the very array of the result
     */
    void ready(int parameter, float[] gradient);
}
