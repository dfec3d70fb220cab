package org.bitwitness.protocol.record;

import org.bitwitness.protocol.StateRoot;

/** Where the parameters of state 0 come from. */
public sealed interface InitialSpec {
    /**
     * Drawn from a seed.
     *
     * @param std standard deviation of matrices and embeddings
     * @param projStd standard deviation of the projections into the residual stream
     */
    record Seed(long seed, double std, double projStd) implements InitialSpec {
        public Seed {
            if (!(Double.isFinite(std) && std >= 0 && Double.isFinite(projStd) && projStd >= 0)) {
                throw new IllegalArgumentException("initial: std and projStd should be finite and not negative");
            }
        }
    }

    /** Given from outside; the state root says which. */
    record External(StateRoot digest) implements InitialSpec {}
}
