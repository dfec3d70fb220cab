package org.bitwitness.cli.train;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.CommitmentReceipt;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.RecorderException;

/** Signs commitments and, where there is a log, logs them; a receipt is checked before anything rests on it. */
final class SigningSink implements CommitmentSink {
    private final SigningKey key;
    private final Optional<Logging> logging;

    /** A log and the policy that its answers must meet. */
    record Logging(TransparencyLog log, WitnessPolicy policy) {}

    SigningSink(SigningKey key, Optional<Logging> logging) {
        this.key = key;
        this.logging = logging;
    }

    @Override
    public CommitmentReceipt commit(Commitment commitment) throws RecorderException {
        try {
            DsseEnvelope envelope =
                    new TrainingCommitmentStatement(commitment).toStatement().sign(key);
            if (logging.isEmpty()) {
                SigstoreBundle bundle = SigstoreBundle.of(key.verifyingKey(), envelope, Optional.empty());
                return new CommitmentReceipt(OptionalLong.empty(), text(bundle));
            }
            return logged(envelope, logging.get());
        } catch (AttestationException e) {
            throw new RecorderException(
                    "commitment %d (%s) cannot be made public: %s"
                            .formatted(
                                    commitment.sequence(),
                                    commitment.sequence() == 0 ? "OPEN" : "steps before " + commitment.endStep(),
                                    e.getMessage()),
                    e);
        }
    }

    private CommitmentReceipt logged(DsseEnvelope envelope, Logging to) throws AttestationException {
        LogReceipt receipt = to.log().append(envelope, key.verifyingKey());
        SigstoreBundle bundle = SigstoreBundle.of(key.verifyingKey(), envelope, receipt, to.policy());
        return new CommitmentReceipt(OptionalLong.of(receipt.index()), text(bundle));
    }

    private static String text(SigstoreBundle bundle) {
        return new String(bundle.toBytes(), StandardCharsets.UTF_8);
    }
}
