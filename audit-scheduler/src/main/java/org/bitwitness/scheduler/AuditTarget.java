package org.bitwitness.scheduler;

import java.nio.file.Path;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.challenge.LoggedCommitment;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.verify.CommitmentChain;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Commitment;

/**
 * A recording on disk tied to the log: its last commitment is the one that its trainer logged, under a tree that enough
 * witnesses cosigned.
 *
 * @param logged the commitment as the log has it now
 * @param placed the commitment in the first cosigned tree that held it, from the recording's own bundle
 * @param open the commitment that opened the run
 * @param profile that the recording's descriptor names
 */
public record AuditTarget(
        Path recording,
        Logged<TrainingCommitmentStatement> logged,
        LoggedCommitment placed,
        Commitment open,
        ProfileId profile) {

    /**
     * Finds a recording's commitment in a log.
     *
     * @throws AttestationException refused: the commitment is not in the log, or the bundle beside it does not hold
     * @throws ProtocolException if the folder is not a recording
     */
    public static AuditTarget find(Path recording, LogSurvey survey) throws AttestationException, ProtocolException {
        RecordingReader reader = RecordingReader.open(recording);
        Commitment last = reader.last();
        CommitmentChain chain = CommitmentChain.of(survey, last.runId());
        Logged<TrainingCommitmentStatement> logged = chain.find(last.digest())
                .orElseThrow(() -> AttestationException.refused(
                        "commitment %d of the recording (%s) is not in log %s: was it logged elsewhere, or not yet?"
                                .formatted(
                                        last.sequence(),
                                        last.digest(),
                                        survey.log().origin())));
        SigstoreBundle bundle = SigstoreBundle.parse(reader.commitmentBundle(last.sequence()));
        LoggedCommitment placed = LoggedCommitment.verify(bundle, survey.registry());
        if (!placed.commitment().equals(last) || placed.position().leafIndex() != logged.index()) {
            throw AttestationException.refused(
                    "the bundle of commitment %d is of entry %d, the log has the commitment at entry %d"
                            .formatted(last.sequence(), placed.position().leafIndex(), logged.index()));
        }
        return new AuditTarget(
                recording,
                logged,
                placed,
                chain.open().statement().commitment(),
                reader.descriptor().profile());
    }

    public Commitment commitment() {
        return logged.statement().commitment();
    }

    /** What OPEN promised about audits. */
    public AuditPolicy policy() {
        return open.open().orElseThrow().policy();
    }

    /**
     * What units are drawn from.
     *
     * @throws AttestationException if OPEN's policy names kinds of units that this version does not know
     */
    public UnitPopulation population() throws AttestationException {
        try {
            return UnitPopulation.of(policy(), commitment());
        } catch (IllegalArgumentException e) {
            throw new AttestationException(
                    AttestationException.Kind.REFUSED, "the run's audit policy: " + e.getMessage(), e);
        }
    }
}
