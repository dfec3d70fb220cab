package org.bitwitness.attestation.challenge;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.statement.AuditChallengeStatement.Target;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.protocol.record.Commitment;

/** A trainer's commitment that a witnessed checkpoint of a trusted log holds. Made only by verifying that. */
public final class LoggedCommitment {
    private final Commitment commitment;
    private final VerifyingKey trainer;
    private final LogPosition position;
    private final VerifiedCheckpoint checkpoint;

    private LoggedCommitment(
            Commitment commitment, VerifyingKey trainer, LogPosition position, VerifiedCheckpoint checkpoint) {
        this.commitment = commitment;
        this.trainer = trainer;
        this.position = position;
        this.checkpoint = checkpoint;
    }

    /**
     * Verifies a commitment and its receipt.
     *
     * @param receipt the one that the log gave when the commitment was appended: its checkpoint is the first that holds
     *     it, and witnesses answer a beacon for no other
     * @throws AttestationException if the signature, the trainer, the policy or the proof does not hold
     */
    public static LoggedCommitment verify(DsseEnvelope envelope, LogReceipt receipt, TrustPolicy trust)
            throws AttestationException {
        return verify(envelope, receipt, new KeyRegistry(trust));
    }

    /** The same, with what the log says about keys: a trainer's key may have taken over from another. */
    private static LoggedCommitment verify(DsseEnvelope envelope, LogReceipt receipt, KeyRegistry registry)
            throws AttestationException {
        LogEntry entry = LogEntry.parse(receipt.leaf());
        if (!entry.standsFor(envelope)) {
            throw AttestationException.refused("the receipt is of another envelope: expected payload %s, found %s"
                    .formatted(envelope.payloadDigest(), entry.digest()));
        }
        requireTrainer(registry, entry.key(), receipt.index());
        Commitment commitment =
                TrainingCommitmentStatement.parse(envelope.verify(entry.key())).commitment();
        VerifiedCheckpoint checkpoint = receipt.verify(registry.trust().witnesses());
        LogPosition position = new LogPosition(
                checkpoint.checkpoint().origin(),
                checkpoint.checkpoint().size(),
                checkpoint.checkpoint().root(),
                receipt.index(),
                receipt.leafHash());
        return new LoggedCommitment(commitment, entry.key(), position, checkpoint);
    }

    /** Verifies the bundle that a recording keeps beside each commitment, without what the log says about keys. */
    public static LoggedCommitment verify(SigstoreBundle bundle, TrustPolicy trust) throws AttestationException {
        return verify(bundle, new KeyRegistry(trust));
    }

    /** Verifies the bundle that a recording keeps beside each commitment. */
    public static LoggedCommitment verify(SigstoreBundle bundle, KeyRegistry registry) throws AttestationException {
        TlogEntry entry = bundle.entry()
                .orElseThrow(() -> AttestationException.refused(
                        "this commitment is not logged: a challenge needs its place in a witnessed log"));
        SignedNote note = SignedNote.parse(entry.checkpoint().getBytes(StandardCharsets.UTF_8));
        return verify(
                bundle.envelope(),
                new LogReceipt(entry.proof(), note, entry.leaf().leaf()),
                registry);
    }

    static void requireTrainer(KeyRegistry registry, VerifyingKey key, long index) throws AttestationException {
        if (registry.trainerName(key, index).isEmpty()) {
            throw AttestationException.refused(
                    "the commitment is signed by key %s, which is not among the trainers this policy accepts: add its PEM to trust/%s/ if it should be"
                            .formatted(key.id(), TrustPolicy.TRAINERS));
        }
    }

    /** Checks that {@code open} opened this commitment's run and names this commitment's signer. */
    void requireOpenedBy(Commitment open) throws AttestationException {
        requireOpenedBy(open, commitment, trainer);
    }

    static void requireOpenedBy(Commitment open, Commitment commitment, VerifyingKey trainer)
            throws AttestationException {
        if (open.open().isEmpty() || !open.runId().equals(commitment.runId())) {
            throw AttestationException.refused("the commitment is of run %s, the OPEN given is of run %s"
                    .formatted(commitment.runId(), open.runId()));
        }
        if (!Arrays.equals(open.open().get().trainerSpki(), trainer.spki())) {
            throw AttestationException.refused(
                    "run %s names another trainer key in its OPEN than %s, which signed this commitment"
                            .formatted(open.runId(), trainer.id()));
        }
    }

    public Commitment commitment() {
        return commitment;
    }

    /** Where it stands: the first witnessed checkpoint that holds it. */
    public LogPosition position() {
        return position;
    }

    /** The cosigned note of that place; its times fix the round of a drand beacon. */
    public VerifiedCheckpoint checkpoint() {
        return checkpoint;
    }

    /** As challenges and verdicts name it. */
    public Target target() {
        return new Target(commitment.runId(), commitment.digest(), commitment.chainHash());
    }
}
