package org.bitwitness.cli.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.statement.VerificationSummary;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.RunSummary;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Commitment;

/**
 * Judges one bundle: its signature, its place in a log, what it says, and with a log at hand what else that log says.
 */
final class BundleJudgement {
    private static final String ELSEWHERE = "that no auditor found a difference: one bundle says nothing about failed"
            + " verdicts elsewhere; give --log to exclude them";

    private static final String REVOKED = "that the signer's key had not been rotated or revoked before: the log says";

    private static final String EFFECT = "that the event has an effect: that depends on whether its signer stood, and"
            + " on what came before; give --log";

    private final Optional<TrustPolicy> trust;
    private final Optional<LogSurvey> survey;

    BundleJudgement(Optional<TrustPolicy> trust, Optional<LogSurvey> survey) {
        this.trust = trust;
        this.survey = survey;
    }

    /**
     * A key that was rotated or revoked before it signed counts for nothing. What is in no log may have been signed
     * at any time.
     */
    private static void requireStanding(LogSurvey log, VerifyingKey key, Optional<Long> index)
            throws AttestationException {
        Optional<String> end = log.registry().endedBefore(key, index.orElse(Long.MAX_VALUE - 1));
        if (end.isPresent()) {
            throw AttestationException.refused(
                    index.map(at -> "entry %d is signed by key %s, which was %s: it counts for nothing"
                                    .formatted(at, key.id(), end.get()))
                            .orElseGet(() ->
                                    "signed by key %s, which was %s, and not in the log: nobody can say that it was signed before"
                                            .formatted(key.id(), end.get())));
        }
    }

    /**
     * What a statement says, as far as one bundle goes.
     *
     * @param run that the log can say more about
     */
    private record Said(
            String headline, List<String> proven, List<String> notProven, ExitCode exitCode, Optional<RunId> run) {
        Said(String headline, List<String> proven, ExitCode exitCode, Optional<RunId> run) {
            this(headline, proven, List.of(ELSEWHERE), exitCode, run);
        }
    }

    Judgement judge(String target, SigstoreBundle bundle, VerifyingKey key) throws AttestationException {
        List<String> proven = new ArrayList<>();
        List<String> notProven = new ArrayList<>();
        notProven.addAll(survey.isEmpty() ? List.of(REVOKED) : List.of());
        VerifiedPayload payload;
        Optional<Long> index = Optional.empty();
        Map<String, Object> details = new LinkedHashMap<>();
        proven.add("signed by " + SignerNames.of(trust, survey, key));
        if (trust.isPresent() && bundle.entry().isPresent()) {
            SigstoreBundle.Logged logged = bundle.verify(key, trust.get().witnesses());
            payload = logged.payload();
            proven.add("entry %d of log %s, in its checkpoint of %d entries, cosigned by %s"
                    .formatted(
                            logged.index(),
                            logged.checkpoint().checkpoint().origin(),
                            logged.checkpoint().checkpoint().size(),
                            RunSummary.witnesses(logged.checkpoint())));
            index = Optional.of(logged.index());
            details.put("logIndex", logged.index());
            if (survey.isPresent()) {
                survey.get().log().requireContinues(logged.checkpoint().checkpoint());
            }
        } else {
            payload = bundle.verifySignature(key);
            notProven.add(
                    "that the statement is in a log: " + (trust.isEmpty() ? "give --trust" : "it has no log entry"));
        }
        Statement statement = Statement.parse(payload);
        if (survey.isPresent() && !statement.predicateType().equals(PredicateType.KEY_EVENT)) {
            requireStanding(survey.get(), key, index);
        }
        Said said = say(statement, index);
        proven.addAll(said.proven());
        details.put("signer", key.id().hex());
        details.put("predicateType", statement.predicateType());
        details.put("statementSha256", payload.digest().hex());
        if (survey.isPresent() && said.run().isPresent()) {
            return withLog(target, said, proven, details);
        }
        notProven.addAll(said.notProven());
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

    private Said say(Statement statement, Optional<Long> index) throws AttestationException {
        return switch (statement.predicateType()) {
            case PredicateType.TRAINING_COMMITMENT ->
                say(TrainingCommitmentStatement.of(statement).commitment());
            case PredicateType.AUDIT_CHALLENGE -> say(AuditChallengeStatement.of(statement));
            case PredicateType.AUDIT_VERDICT -> say(AuditVerdictStatement.of(statement));
            case PredicateType.KEY_EVENT -> say(KeyEventStatement.of(statement).event(), index);
            case PredicateType.VERIFICATION_SUMMARY -> summary(statement);
            case PredicateType.DRILL_COMMITMENT -> {
                DrillCommitmentStatement drill = DrillCommitmentStatement.of(statement);
                yield new Said(
                        "commitment %s to a drill that some later run is".formatted(drill.drill()),
                        List.of(),
                        ExitCode.OK,
                        Optional.empty());
            }
            case PredicateType.DRILL_OPENING -> {
                DrillOpeningStatement opened = DrillOpeningStatement.of(statement);
                yield new Said(
                        "opening of a drill: run %s was made with %d faults planted in it, do not use its model"
                                .formatted(
                                        opened.runId(), opened.drill().faults().size()),
                        List.of("says so only; `bitwitness drill score` holds it against log and recording"),
                        opened.drill().faults().isEmpty() ? ExitCode.OK : ExitCode.REFUSED,
                        Optional.of(opened.runId()));
            }
            default -> {
                // An unknown version of ours may be a failed verdict.
                boolean ours = statement.predicateType().startsWith(PredicateType.PREFIX);
                yield new Said(
                        "a statement of type " + statement.predicateType() + ", which this version does not interpret",
                        List.of(),
                        ours ? ExitCode.INCONCLUSIVE : ExitCode.OK,
                        Optional.empty());
            }
        };
    }

    private Said say(KeyEventStatement.KeyEvent event, Optional<Long> index) {
        String headline = switch (event) {
            case KeyEventStatement.Enrol enrol ->
                "key event: key %s is enrolled as auditor %s"
                        .formatted(event.key().id(), enrol.name());
            case KeyEventStatement.Rotate rotate ->
                "key event: key %s hands over to key %s"
                        .formatted(event.key().id(), rotate.successor().id());
            case KeyEventStatement.Revoke revoke ->
                "key event: key %s is revoked%s"
                        .formatted(event.key().id(), revoke.reason().isEmpty() ? "" : " (" + revoke.reason() + ")");
        };
        if (survey.isEmpty() || index.isEmpty()) {
            return new Said(headline, List.of(), List.of(EFFECT), ExitCode.OK, Optional.empty());
        }
        Optional<String> ignored = survey.get().registry().ignored().stream()
                .filter(one -> one.index() == index.get())
                .map(KeyRegistry.Ignored::why)
                .findFirst();
        return ignored.map(why -> new Said(
                        headline + ": without effect, " + why,
                        List.of(),
                        List.of(),
                        ExitCode.INCONCLUSIVE,
                        Optional.empty()))
                .orElseGet(() -> new Said(
                        headline,
                        List.of("it counts from entry %d of the log on".formatted(index.get())),
                        List.of(),
                        ExitCode.OK,
                        Optional.empty()));
    }

    /** The companion of a verdict, in other people's words. */
    private static Said summary(Statement statement) throws AttestationException {
        VerificationSummary summary = VerificationSummary.read(statement);
        return new Said(
                "verification summary %s for %s".formatted(summary.result(), summary.resource()),
                List.of("says so on the strength of the verdict with SHA-256 %s: verify that one"
                        .formatted(summary.verdicts().stream().map(Sha256::hex).collect(Collectors.joining(", ")))),
                summary.passed() ? ExitCode.OK : ExitCode.REFUSED,
                Optional.empty());
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
