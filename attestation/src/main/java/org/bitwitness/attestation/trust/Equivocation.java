package org.bitwitness.attestation.trust;

import java.util.Optional;
import org.bitwitness.attestation.note.Checkpoint;

/**
 * Two signed checkpoints of one log and one size with different roots: proof, for anybody, that the log told two
 * stories.
 */
public record Equivocation(VerifiedCheckpoint first, VerifiedCheckpoint second) {
    public Equivocation {
        if (!contradict(first.checkpoint(), second.checkpoint())) {
            throw new IllegalArgumentException("these two checkpoints do not contradict each other by themselves");
        }
    }

    /** The two as evidence, if they contradict each other. Different sizes need a consistency proof instead. */
    public static Optional<Equivocation> between(VerifiedCheckpoint one, VerifiedCheckpoint other) {
        return contradict(one.checkpoint(), other.checkpoint())
                ? Optional.of(new Equivocation(one, other))
                : Optional.empty();
    }

    private static boolean contradict(Checkpoint one, Checkpoint other) {
        return one.origin().equals(other.origin())
                && one.size() == other.size()
                && !one.root().equals(other.root());
    }

    /** One sentence for a person. */
    public String message() {
        return "log %s signed two trees of %d entries: root %s and root %s. Keep both notes: they prove it."
                .formatted(
                        first.checkpoint().origin(),
                        first.checkpoint().size(),
                        first.checkpoint().root(),
                        second.checkpoint().root());
    }
}
