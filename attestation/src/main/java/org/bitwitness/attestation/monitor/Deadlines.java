package org.bitwitness.attestation.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.monitor.MonitorState.Waiting;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.verify.ChallengeFinding;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Commitment;

/**
 * What accepted trainers and auditors owe an answer to, and since when. A log does not say when an entry came, so the
 * time that counts is that of the first witnessed checkpoint in which a monitor saw it: late, never early.
 */
final class Deadlines {
    private final SortedMap<Long, Waiting> before;
    private final Instant now;
    private final SortedMap<Long, Waiting> waiting = new TreeMap<>();
    private final List<Alert> alerts = new ArrayList<>();

    private Deadlines(SortedMap<Long, Waiting> before, Instant now) {
        this.before = before;
        this.now = now;
    }

    /**
     * Follows every run of an accepted trainer.
     *
     * @param before what {@link #waiting} gave at the last look
     * @param now time of the checkpoint that {@code survey} was read at
     */
    static Deadlines after(SortedMap<Long, Waiting> before, LogSurvey survey, Instant now) {
        Deadlines deadlines = new Deadlines(before, now);
        for (RunId run : survey.runs()) {
            evidence(survey, run)
                    .filter(evidence -> evidence.trainer().isPresent())
                    .ifPresent(deadlines::follow);
        }
        return deadlines;
    }

    /** Empty for a run that contradicts itself: no audit of it can be owed, and {@code verify} refuses it. */
    private static Optional<RunEvidence> evidence(LogSurvey survey, RunId run) {
        try {
            return Optional.of(RunEvidence.of(survey, run));
        } catch (AttestationException noRun) {
            return Optional.empty();
        }
    }

    private void follow(RunEvidence evidence) {
        AuditPolicy policy = evidence.policy();
        long challenged = -1;
        for (ChallengeFinding challenge : evidence.challenges()) {
            if (challenge.counts()) {
                challenged = Math.max(
                        challenged, challenge.logged().statement().position().leafIndex());
                List<AuditUnit> open = evidence.unanswered(challenge);
                if (!open.isEmpty() && isNewlyOverdue(challenge.logged().index(), policy.deadline())) {
                    alerts.add(new Alert(Alert.Kind.UNANSWERED, unanswered(challenge, open, policy)));
                }
            }
        }
        // A commitment stands for all before it; so one later draw answers for them, one later commitment does not.
        for (Logged<TrainingCommitmentStatement> logged : evidence.chain().commitments()) {
            Commitment commitment = logged.statement().commitment();
            if (commitment.endStep() > 0
                    && logged.index() > challenged
                    && isNewlyOverdue(logged.index(), policy.deadline())) {
                alerts.add(new Alert(
                        Alert.Kind.NOT_CHALLENGED,
                        "entry %d commits run %s to %d steps; since %s no auditor you accept has drawn units from it, %s were given"
                                .formatted(
                                        logged.index(),
                                        commitment.runId(),
                                        commitment.endStep(),
                                        since(logged.index()),
                                        policy.deadlineText())));
            }
        }
    }

    private String unanswered(ChallengeFinding challenge, List<AuditUnit> open, AuditPolicy policy) {
        return "%s drew units (entry %d, seen %s) and gave no verdict on %s in the %s of the run: they count as INCONCLUSIVE"
                .formatted(
                        challenge.auditor().orElseThrow(),
                        challenge.logged().index(),
                        since(challenge.logged().index()),
                        open.stream().map(AuditUnit::text).collect(Collectors.joining(", ")),
                        policy.deadlineText());
    }

    /** True once for each entry: an alert that came again at every look would hide the next one. */
    private boolean isNewlyOverdue(long index, Duration deadline) {
        Waiting last = before.getOrDefault(index, new Waiting(now, false));
        boolean overdue = Duration.between(last.since(), now).compareTo(deadline) > 0;
        waiting.put(index, new Waiting(last.since(), last.told() || overdue));
        return overdue && !last.told();
    }

    private Instant since(long index) {
        return Optional.ofNullable(before.get(index)).map(Waiting::since).orElse(now);
    }

    /** Entries without an answer, to be kept for the next look. */
    SortedMap<Long, Waiting> waiting() {
        return waiting;
    }

    /** Deadlines that passed since the last look. */
    List<Alert> alerts() {
        return List.copyOf(alerts);
    }
}
