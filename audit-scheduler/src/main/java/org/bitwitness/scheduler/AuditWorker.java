package org.bitwitness.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.challenge.ChallengeDraw;
import org.bitwitness.attestation.challenge.ChallengeVerifier;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.Subject;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.statement.VerificationSummary;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.UnitReplayer;
import org.bitwitness.scheduler.spark.TaskOutcome;
import org.bitwitness.scheduler.spark.TaskPool;

/**
 * One auditor at work on one commitment. The order is fixed: the commitment is in a cosigned tree, then randomness is
 * asked for, then the challenge is logged, and only then anything is replayed; so nobody can choose units after having
 * seen how they come out.
 *
 * <p>What was drawn and which verdicts are given stands in the log, and a worker that was killed reads it there. What was
 * replayed and not yet logged is kept beside the bundles, so that it goes on there; see {@link Keeping}.
 */
public final class AuditWorker {

    /**
     * Where an auditor works.
     *
     * @param source the log, read
     * @param log the same log, appended to
     * @param key signs here and nowhere else
     * @param out folder for bundles
     * @param slots units replayed at the same time, each on one thread
     * @param rounds asked only by runs of beacon mode drand
     * @param keeping where replays keep how far they are; nothing: a killed one begins again
     */
    public record Setting(
            TrustPolicy trust,
            LogSource source,
            TransparencyLog log,
            SigningKey key,
            Path out,
            BackendId backend,
            int slots,
            RoundSource rounds,
            Optional<Keeping> keeping) {
        /** Keeping nothing; with drand rounds, where a run wants them, from the public relays. */
        public Setting(
                TrustPolicy trust,
                LogSource source,
                TransparencyLog log,
                SigningKey key,
                Path out,
                BackendId backend,
                int slots) {
            this(trust, source, log, key, out, backend, slots, RoundSource.live(), Optional.empty());
        }
    }

    /** A challenge in the log. */
    private record Challenge(long index, Sha256 payload, List<AuditUnit> units) {}

    private final Setting setting;
    private final AuditListener listener;
    private final VerdictFolder folder;

    public AuditWorker(Setting setting, AuditListener listener) {
        this.setting = setting;
        this.listener = listener;
        this.folder = new VerdictFolder(setting.out(), setting.key().verifyingKey());
    }

    /**
     * Draws, logs the challenge and answers it, or goes on where an earlier call stopped.
     *
     * @param limit answer at most this many units now; the others stay open
     */
    public AuditResult work(Path recording, int limit)
            throws AttestationException, ProtocolException, SchedulerException, InterruptedException {
        requireBackend();
        LogSurvey survey = survey();
        AuditTarget target = AuditTarget.find(recording, survey);
        Challenge challenge = challenge(target, survey);
        Set<AuditUnit> answered = answered(survey, challenge);
        List<AuditUnit> open = challenge.units().stream()
                .filter(unit -> !answered.contains(unit))
                .limit(limit)
                .toList();
        for (AuditUnit unit : answered) {
            forget(target, unit, Optional.of(challenge));
        }
        List<LoggedVerdict> verdicts = replay(target, open, Optional.of(challenge));
        return new AuditResult(OptionalLong.of(challenge.index()), challenge.units(), verdicts, List.copyOf(answered));
    }

    /** Replays units that a person chose. Their verdicts say so and count in no coverage. */
    public AuditResult spotCheck(Path recording, List<AuditUnit> units)
            throws AttestationException, ProtocolException, SchedulerException, InterruptedException {
        requireBackend();
        AuditTarget target = AuditTarget.find(recording, survey());
        return new AuditResult(OptionalLong.empty(), units, replay(target, units, Optional.empty()), List.of());
    }

    /** Before a challenge is logged that this machine could not answer. */
    private void requireBackend() throws SchedulerException {
        Optional<String> absent = Backends.whyAbsent(setting.backend());
        if (absent.isPresent()) {
            throw new SchedulerException("backend %s is not available on this machine: %s; available: %s"
                    .formatted(setting.backend(), absent.get(), Backends.available()));
        }
    }

    private LogSurvey survey() throws AttestationException {
        return LogSurvey.read(LogReader.open(setting.source(), setting.trust().witnesses()), setting.trust());
    }

    /** The own challenge of this commitment: the logged one, else a new one. A second draw would be a choice. */
    private Challenge challenge(AuditTarget target, LogSurvey survey) throws AttestationException, SchedulerException {
        for (Logged<AuditChallengeStatement> logged : survey.challenges()) {
            boolean own = logged.signer().equals(setting.key().verifyingKey());
            if (own
                    && logged.statement()
                            .target()
                            .commitment()
                            .equals(target.commitment().digest())) {
                new ChallengeVerifier(survey.log(), setting.trust()).verify(logged.index());
                Challenge known = new Challenge(
                        logged.index(), logged.payload(), logged.statement().units());
                listener.challenged(known.index(), known.units(), true);
                return known;
            }
        }
        AuditChallengeStatement drawn =
                ChallengeDraw.draw(target.placed(), target.open(), setting.key(), setting.trust(), setting.rounds());
        SignedEntry entry = append(drawn.toStatement());
        folder.writeChallenge(target.commitment(), entry.bundle());
        listener.challenged(entry.index(), drawn.units(), false);
        return new Challenge(entry.index(), entry.payload(), drawn.units());
    }

    private Set<AuditUnit> answered(LogSurvey survey, Challenge challenge) {
        return survey.verdicts().stream()
                .filter(logged -> logged.signer().equals(setting.key().verifyingKey()))
                .map(Logged::statement)
                .filter(verdict -> verdict.basis().challengeLogIndex().orElse(-1) == challenge.index())
                .map(verdict -> verdict.report().unit())
                .collect(Collectors.toSet());
    }

    private List<LoggedVerdict> replay(AuditTarget target, List<AuditUnit> units, Optional<Challenge> challenge)
            throws AttestationException, SchedulerException, InterruptedException {
        List<LoggedVerdict> verdicts = new ArrayList<>();
        if (units.isEmpty()) {
            return verdicts;
        }
        listener.replaying(units.size());
        int tasks = Math.min(setting.slots(), units.size());
        try (TaskPool pool = TaskPool.start(tasks)) {
            List<TaskPool.Running> running = new ArrayList<>();
            for (AuditUnit unit : units) {
                running.add(pool.submit(task(target, unit, challenge, tasks).text(), ReplayTaskRunner::run));
            }
            for (int i = 0; i < units.size(); i++) {
                TaskAnswer answer = answer(
                        task(target, units.get(i), challenge, tasks),
                        running.get(i).await());
                answer.notes().forEach(listener::note);
                LoggedVerdict verdict = publish(target, answer.report(), challenge);
                forget(target, units.get(i), challenge);
                verdicts.add(verdict);
                listener.judged(verdict, i + 1, units.size());
            }
        }
        return verdicts;
    }

    private ReplayTask task(AuditTarget target, AuditUnit unit, Optional<Challenge> challenge, int tasks) {
        return new ReplayTask(
                unit,
                target.recording().toAbsolutePath(),
                target.commitment().digest(),
                setting.backend(),
                target.profile(),
                tasks,
                1,
                HexFormat.of().formatHex(setting.key().verifyingKey().spki()),
                challenge.map(Challenge::payload),
                keep(target, unit, challenge));
    }

    private Optional<KeepPlace> keep(AuditTarget target, AuditUnit unit, Optional<Challenge> challenge) {
        return setting.keeping()
                .map(keeping ->
                        keeping.place(setting.key(), target.commitment(), unit, challenge.map(Challenge::payload)));
    }

    /** A verdict that is in the log needs no kept work any more. */
    private void forget(AuditTarget target, AuditUnit unit, Optional<Challenge> challenge) {
        Optional<KeepPlace> place = keep(target, unit, challenge);
        if (place.isPresent()) {
            try {
                Files.deleteIfExists(place.get().file());
            } catch (IOException e) {
                listener.note("%s is not needed any more and cannot be deleted: %s"
                        .formatted(place.get().file(), e));
            }
        }
    }

    /** A task that failed, or whose answer is no report about its unit, decides nothing. */
    private static TaskAnswer answer(ReplayTask task, TaskOutcome outcome) {
        return switch (outcome) {
            case TaskOutcome.Failed failed -> inconclusive(task, "the task failed: " + failed.reason());
            case TaskOutcome.Answered answered -> {
                try {
                    TaskAnswer answer = TaskAnswer.parse(answered.text());
                    AuditUnit about = answer.report().unit();
                    yield about.equals(task.unit())
                            ? answer
                            : inconclusive(task, "the task answered about " + about.text());
                } catch (ProtocolException e) {
                    yield inconclusive(task, "the task's answer cannot be read: " + e.getMessage());
                }
            }
        };
    }

    private static TaskAnswer inconclusive(ReplayTask task, String reason) {
        return new TaskAnswer(
                List.of(),
                UnitReplayer.inconclusive(task.unit(), task.backend(), task.profile(), reason, InstantSource.system()));
    }

    private LoggedVerdict publish(AuditTarget target, ReplayReport report, Optional<Challenge> challenge)
            throws AttestationException, SchedulerException {
        AuditVerdictStatement.Basis basis = new AuditVerdictStatement.Basis(
                target.commitment().runId(),
                target.commitment().digest(),
                target.logged().index(),
                challenge.map(c -> OptionalLong.of(c.index())).orElseGet(OptionalLong::empty));
        AuditVerdictStatement verdict = new AuditVerdictStatement(basis, report, models(target));
        SignedEntry entry = append(verdict.toStatement());
        Path file = folder.writeVerdict(target.commitment(), report.unit(), entry.bundle());
        var summary =
                VerificationSummary.of(verdict, entry.payload(), setting.key().verifyingKey());
        if (summary.isPresent()) {
            SigstoreBundle bundle = SigstoreBundle.of(
                    setting.key().verifyingKey(), summary.get().sign(setting.key()), Optional.empty());
            folder.writeSummary(target.commitment(), report.unit(), bundle);
        }
        return new LoggedVerdict(report, challenge.isPresent(), entry.index(), file);
    }

    private static List<Subject> models(AuditTarget target) {
        return target.logged().statement().released().stream()
                .map(file -> Subject.of(
                        file.path().text().substring(TrainingCommitmentStatement.RELEASED.length()), file.sha256()))
                .toList();
    }

    private SignedEntry append(Statement statement) throws AttestationException {
        return SignedEntry.append(
                statement, setting.key(), setting.log(), setting.trust().witnesses());
    }
}
