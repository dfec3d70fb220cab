package org.bitwitness.attestation.log;

import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.protocol.merkle.ConsistencyProof;

/** Whoever a log asks for cosignatures before it publishes a checkpoint. */
public interface CheckpointCosigner {
    /** Asks nobody. */
    CheckpointCosigner NONE = (checkpoint, proofs) -> new Collected(List.of(), List.of());

    /** Gives the proof that an earlier tree is a prefix of the checkpoint's. */
    interface ConsistencyProofs {
        ConsistencyProof from(long oldSize) throws AttestationException;
    }

    /**
     * What was had.
     *
     * @param problems one sentence for each witness that gave none, for people
     */
    record Collected(List<NoteSignature> signatures, List<String> problems) {
        public Collected {
            signatures = List.copyOf(signatures);
            problems = List.copyOf(problems);
        }
    }

    /**
     * Collects what cosignatures can be had now. A witness that does not answer, or says that it holds another tree, is
     * left out; the policy decides whether the rest is enough.
     *
     * @param checkpoint signed by the log
     */
    Collected cosign(SignedNote checkpoint, ConsistencyProofs proofs) throws AttestationException;
}
