package org.bitwitness.kernels.program;

/**
 * AdamW hyper-parameters, all binary64.
 *
 * @param maxNorm largest gradient norm before clipping; positive infinity for no clipping
 */
public record OptimizerConfig(double beta1, double beta2, double eps, double weightDecay, double maxNorm) {
    public OptimizerConfig {
        if (!(beta1 >= 0 && beta1 < 1) || !(beta2 >= 0 && beta2 < 1)) {
            throw new IllegalArgumentException(
                    "beta1 and beta2 are at least 0 and below 1, got %s and %s".formatted(beta1, beta2));
        }
        if (!(eps > 0) || !Double.isFinite(eps) || !(weightDecay >= 0) || !Double.isFinite(weightDecay)) {
            throw new IllegalArgumentException("eps is positive, weightDecay not negative, both finite; got %s and %s"
                    .formatted(eps, weightDecay));
        }
        if (!(maxNorm > 0)) {
            throw new IllegalArgumentException("maxNorm is positive (infinite for no clipping), got " + maxNorm);
        }
    }
}
