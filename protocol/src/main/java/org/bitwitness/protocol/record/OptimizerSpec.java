package org.bitwitness.protocol.record;

/**
 * AdamW with decoupled weight decay; tensors of two or more dimensions decay.
 *
 * @param maxNorm largest global gradient norm; +infinity for no clipping
 */
public record OptimizerSpec(double beta1, double beta2, double eps, double weightDecay, double maxNorm) {
    public OptimizerSpec {
        require(beta1 >= 0 && beta1 < 1, "beta1 should be from 0 to under 1");
        require(beta2 >= 0 && beta2 < 1, "beta2 should be from 0 to under 1");
        require(Double.isFinite(eps) && eps > 0, "eps should be finite and over 0");
        require(Double.isFinite(weightDecay) && weightDecay >= 0, "weightDecay should be finite and not negative");
        require(maxNorm > 0, "maxNorm should be over 0; write infinity for no clipping");
    }

    public boolean clips() {
        return Double.isFinite(maxNorm);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("optimizer: " + what);
        }
    }
}
