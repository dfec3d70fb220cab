package org.bitwitness.scheduler;

import java.nio.file.Path;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.verify.ChallengeRules;
import org.bitwitness.attestation.verify.CommitmentChain;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Commitment;

/**
 * A recording on disk tied to the log: its last commitment is the one that its trainer logged, under a tree that enough
 * witnesses cosigned.
 *
 * @param logged the commitment in the log
 * @param position the first cosigned tree that held it, from the recording's own bundle
 * @param policy what OPEN promised about audits
 */
public record AuditTarget(
        Path recording, Logged<TrainingCommitmentStatement> logged, LogPosition position, AuditPolicy policy) {

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
        LogPosition position = position(reader, last, logged, survey);
        AuditPolicy policy =
                chain.open().statement().commitment().open().orElseThrow().policy();
        return new AuditTarget(recording, logged, position, policy);
    }

    public Commitment commitment() {
        return logged.statement().commitment();
    }

    /** The rules of drawing for this commitment. */
    public ChallengeRules rules(TrustPolicy trust) {
        return new ChallengeRules(trust, policy, commitment());
    }

    private static LogPosition position(
            RecordingReader reader, Commitment last, Logged<TrainingCommitmentStatement> logged, LogSurvey survey)
            throws AttestationException, ProtocolException {
        SigstoreBundle bundle = SigstoreBundle.parse(reader.commitmentBundle(last.sequence()));
        bundle.verifySignature(logged.signer());
        TlogEntry entry = bundle.entry()
                .orElseThrow(() -> AttestationException.refused(
                        "the bundle of commitment %d has no log entry: fetch the recording again"
                                .formatted(last.sequence())));
        LogReader log = survey.log();
        VerifiedCheckpoint first =
                entry.verify(bundle.envelope(), survey.trust().witnesses());
        log.requireContinues(first.checkpoint());
        if (entry.proof().index() != logged.index()) {
            throw AttestationException.refused("the bundle of commitment %d places it at entry %d, the log has it at %d"
                    .formatted(last.sequence(), entry.proof().index(), logged.index()));
        }
        return new LogPosition(
                first.checkpoint().origin(),
                first.checkpoint().size(),
                first.checkpoint().root(),
                logged.index(),
                logged.leafHash());
    }
}
