package org.bitwitness.cli.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.RunSummary;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.record.Commitment;

/**
 * Judges one bundle: its signature, its place in a log, what it says, and with a log at hand what else that log says.
 */
final class BundleJudgement {
    private static final String ELSEWHERE = "that no auditor found a difference: one bundle says nothing about failed"
            + " verdicts elsewhere; give --log to exclude them";

    private static final String REVOKED = "that the signer's key had not been rotated or revoked before: the log says";
    private final Optional<TrustPolicy> trust;
    private final Optional<LogSurvey> survey;

    BundleJudgement(Optional<TrustPolicy> trust, Optional<LogSurvey> survey) {
        this.trust = trust;
        this.survey = survey;
    }

    /** A key that was rotated or revoked before it signed counts for nothing. */
    private static void requireStanding(LogSurvey log, VerifyingKey key, long index) throws AttestationException {
        Optional<String> end = log.registry().endedBefore(key, index);
        if (end.isPresent()) {
            throw AttestationException.refused("entry %d is signed by key %s, which was %s: it counts for nothing"
                    .formatted(index, key.id(), end.get()));
        }
    }

    /** What a statement says, as far as one bundle goes. */
    private record Said(String headline, List<String> proven, ExitCode exitCode, Optional<RunId> run) {}

    Judgement judge(String target, SigstoreBundle bundle, VerifyingKey key) throws AttestationException {
        List<String> proven = new ArrayList<>();
        List<String> notProven = new ArrayList<>();
        notProven.addAll(survey.isEmpty() ? List.of(REVOKED) : List.of());
        VerifiedPayload payload;
        Map<String, Object> details = new LinkedHashMap<>();
        proven.add("signed by " + SignerNames.of(trust, key));
        if (trust.isPresent() && bundle.entry().isPresent()) {
            SigstoreBundle.Logged logged = bundle.verify(key, trust.get().witnesses());
            payload = logged.payload();
            proven.add("entry %d of log %s, in its checkpoint of %d entries, cosigned by %s"
                    .formatted(
                            logged.index(),
                            logged.checkpoint().checkpoint().origin(),
                            logged.checkpoint().checkpoint().size(),
                            RunSummary.witnesses(logged.checkpoint())));
            details.put("logIndex", logged.index());
            if (survey.isPresent()) {
                survey.get().log().requireContinues(logged.checkpoint().checkpoint());
                requireStanding(survey.get(), key, logged.index());
            }
        } else {
            payload = bundle.verifySignature(key);
            notProven.add(
                    "that the statement is in a log: " + (trust.isEmpty() ? "give --trust" : "it has no log entry"));
        }
        Statement statement = Statement.parse(payload);
        Said said = say(statement);
        proven.addAll(said.proven());
        details.put("signer", key.id().hex());
        details.put("predicateType", statement.predicateType());
        details.put("statementSha256", payload.digest().hex());
        if (survey.isPresent() && said.run().isPresent()) {
            return withLog(target, said, proven, details);
        }
        notProven.add(ELSEWHERE);
        return new Judgement(target, said.exitCode(), said.headline(), proven, notProven, details);
    }

    private Judgement withLog(String target, Said said, List<String> proven, Map<String, Object> details)
            throws AttestationException {
        LogSurvey log = survey.orElseThrow();
        RunEvidence evidence = RunEvidence.of(log, said.run().orElseThrow());
        Judgement run = RunJudgement.of(target, log, List.of(evidence), details);
        proven.addAll(run.proven());
        return new Judgement(
                target,
                ExitCode.worstOf(List.of(said.exitCode(), run.exitCode())),
                said.headline() + System.lineSeparator() + run.headline(),
                proven,
                run.notProven(),
                run.details());
    }

    private static Said say(Statement statement) throws AttestationException {
        return switch (statement.predicateType()) {
            case PredicateType.TRAINING_COMMITMENT ->
                say(TrainingCommitmentStatement.of(statement).commitment());
            case PredicateType.AUDIT_CHALLENGE -> say(AuditChallengeStatement.of(statement));
            case PredicateType.AUDIT_VERDICT -> say(AuditVerdictStatement.of(statement));
            default ->
                new Said(
                        "a statement of type " + statement.predicateType() + ", which this version does not interpret",
                        List.of(),
                        ExitCode.OK,
                        Optional.empty());
        };
    }

    private static Said say(Commitment commitment) {
        String headline = "commitment %d of run %s, over %d steps%s"
                .formatted(
                        commitment.sequence(),
                        commitment.runId(),
                        commitment.endStep(),
                        commitment.isFinal() ? ", final" : "");
        return new Said(
                headline,
                List.of("commitment digest " + commitment.digest()),
                ExitCode.OK,
                Optional.of(commitment.runId()));
    }

    private static Said say(AuditChallengeStatement challenge) {
        return new Said(
                "challenge of run %s: %s".formatted(challenge.target().runId(), challenge.units()),
                List.of("says that these units were drawn with beacon %s; drawing again needs --log"
                        .formatted(challenge.beacon().mode().text())),
                ExitCode.OK,
                Optional.of(challenge.target().runId()));
    }

    /**
     * A bundle that says DIVERGED is verified as a bundle, but whoever asks about a model must not read it as a yes.
     */
    private static Said say(AuditVerdictStatement verdict) {
        ReplayReport report = verdict.report();
        String place = report.firstDifference()
                .map(FirstDifference::place)
                .map(text -> " at " + text)
                .orElse("");
        String headline = "verdict %s on %s of run %s%s"
                .formatted(
                        report.verdict(), report.unit().text(), verdict.basis().runId(), place);
        List<String> proven = new ArrayList<>();
        proven.add("about commitment %s (log entry %d), replayed on backend %s, profile %s"
                .formatted(
                        verdict.basis().commitment(),
                        verdict.basis().commitmentLogIndex(),
                        report.backend(),
                        report.profile().text()));
        proven.add(
                verdict.basis().drawn()
                        ? "says that the unit was drawn by the challenge at log entry %d; drawing again needs --log"
                                .formatted(verdict.basis().challengeLogIndex().orElseThrow())
                        : "a spot check: a person chose the unit, so it counts in no coverage");
        report.reason().ifPresent(reason -> proven.add("reason given: " + reason));
        return new Said(
                headline,
                proven,
                ExitCode.of(report.verdict()),
                Optional.of(verdict.basis().runId()));
    }
}
