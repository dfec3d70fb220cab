package org.bitwitness.protocol.record;

import java.util.List;

/** The rule that turns a combined gradient into an update; {@code docs/numerics.md} defines each to the bit. */
public sealed interface OptimizerSpec {
    /** Name of the first moment, or of the momentum buffer, of a parameter: this and the parameter's name. */
    String FIRST_MOMENT = "m.";

    /** Name of the second moment of a parameter: this and the parameter's name. */
    String SECOND_MOMENT = "v.";

    /** As in descriptors and configurations. */
    String kind();

    /** Largest global gradient norm; +infinity for no clipping. */
    double maxNorm();

    double weightDecay();

    /** What a state holds beside each parameter, as prefixes of its name. */
    List<String> momentPrefixes();

    /** AdamW with decoupled weight decay; tensors of two or more dimensions decay. */
    record AdamW(double beta1, double beta2, double eps, double weightDecay, double maxNorm) implements OptimizerSpec {
        public static final String KIND = "adamw";

        public AdamW {
            require(beta1 >= 0 && beta1 < 1, "beta1 should be from 0 to under 1");
            require(beta2 >= 0 && beta2 < 1, "beta2 should be from 0 to under 1");
            require(Double.isFinite(eps) && eps > 0, "eps should be finite and over 0");
            requireCommon(weightDecay, maxNorm);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<String> momentPrefixes() {
            return List.of(FIRST_MOMENT, SECOND_MOMENT);
        }
    }

    /**
     * Stochastic gradient descent with momentum; weight decay is added to the gradient, for tensors of two or more
     * dimensions.
     *
     * @param momentum 0 keeps the buffer but makes it the gradient itself
     * @param dampening what the first update does not apply and every later one does; 0 for none
     * @param nesterov needs a momentum over 0 and no dampening
     */
    record Sgd(double momentum, double dampening, boolean nesterov, double weightDecay, double maxNorm)
            implements OptimizerSpec {
        public static final String KIND = "sgd";

        public Sgd {
            require(momentum >= 0 && momentum < 1, "momentum should be from 0 to under 1");
            require(dampening >= 0 && dampening <= 1, "dampening should be from 0 to 1");
            require(
                    !nesterov || (momentum > 0 && dampening == 0),
                    "nesterov should come with a momentum over 0 and a dampening of 0");
            requireCommon(weightDecay, maxNorm);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<String> momentPrefixes() {
            return List.of(FIRST_MOMENT);
        }
    }

    private static void requireCommon(double weightDecay, double maxNorm) {
        require(Double.isFinite(weightDecay) && weightDecay >= 0, "weightDecay should be finite and not negative");
        require(maxNorm > 0, "maxNorm should be over 0; write infinity for no clipping");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("optimizer: " + what);
        }
    }
}
