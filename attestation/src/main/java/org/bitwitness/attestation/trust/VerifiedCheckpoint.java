package org.bitwitness.attestation.trust;

import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.SignedNote;

/**
 * A checkpoint that a log of the policy signed and enough of the policy's witnesses cosigned. Only
 * {@link WitnessPolicy#verify} makes one.
 */
public final class VerifiedCheckpoint {
    private final Checkpoint checkpoint;
    private final SignedNote note;
    private final LogIdentity log;
    private final Map<WitnessIdentity, Instant> cosignatures;

    VerifiedCheckpoint(
            Checkpoint checkpoint, SignedNote note, LogIdentity log, Map<WitnessIdentity, Instant> cosignatures) {
        this.checkpoint = checkpoint;
        this.note = note;
        this.log = log;
        this.cosignatures = Collections.unmodifiableMap(new LinkedHashMap<>(cosignatures));
    }

    public Checkpoint checkpoint() {
        return checkpoint;
    }

    /** The note as it was read, with every signature line. */
    public SignedNote note() {
        return note;
    }

    public LogIdentity log() {
        return log;
    }

    /** Witnesses of the policy whose cosignature verified, with the latest time each gave. */
    public Map<WitnessIdentity, Instant> cosignatures() {
        return cosignatures;
    }

    /** The latest time that a verified cosignature gives; empty if the policy needs no witness and none signed. */
    public Optional<Instant> witnessedAt() {
        return cosignatures.values().stream().max(Comparator.naturalOrder());
    }

    @Override
    public String toString() {
        return "checkpoint of %s, %d entries, root %s, cosigned by %d witnesses"
                .formatted(checkpoint.origin(), checkpoint.size(), checkpoint.root(), cosignatures.size());
    }
}
