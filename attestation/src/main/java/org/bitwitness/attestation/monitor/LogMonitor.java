package org.bitwitness.attestation.monitor;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogFsck;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;

/**
 * One look at a log: its checkpoint under the policy, everything derived again from its entries, consistency with the
 * tree of the last look and with other copies, whether every verdict seen before can still be had, and whether runs
 * were challenged and challenges answered in time.
 */
public final class LogMonitor {
    /** How far a witness's clock may be ahead of ours. */
    private static final Duration SKEW = Duration.ofMinutes(5);

    private final LogSource source;
    private final TrustPolicy trust;
    private final Limits limits;
    private final List<Alert> alerts = new ArrayList<>();

    /**
     * What counts as stale.
     *
     * @param clock of this machine
     * @param maxAge of the newest cosignature
     */
    public record Limits(InstantSource clock, Duration maxAge) {}

    /**
     * What was seen.
     *
     * @param checkpoint empty if none was acceptable
     * @param next to be kept for the next look; the old one where the log may not be believed
     * @param newVerdicts since the last look, by accepted auditors
     * @param diverged of those, how many found other bits
     */
    public record Report(
            Optional<VerifiedCheckpoint> checkpoint,
            Optional<MonitorState> next,
            List<Alert> alerts,
            long newVerdicts,
            long diverged) {
        public Report {
            alerts = List.copyOf(alerts);
        }
    }

    private LogMonitor(LogSource source, TrustPolicy trust, Limits limits) {
        this.source = source;
        this.trust = trust;
        this.limits = limits;
    }

    /**
     * Looks once.
     *
     * @param before what the last look returned as {@code next}
     * @param others further copies of the same log, as other people are served it
     * @throws AttestationException environment: the log cannot be reached, so nothing is known
     */
    public static Report look(
            LogSource source, TrustPolicy trust, Limits limits, Optional<MonitorState> before, List<LogSource> others)
            throws AttestationException {
        return new LogMonitor(source, trust, limits).look(before, others);
    }

    private Report look(Optional<MonitorState> before, List<LogSource> others) throws AttestationException {
        Optional<LogReader> log = guarded(Alert.Kind.NOT_WITNESSED, () -> LogReader.open(source, trust.witnesses()));
        if (log.isEmpty()) {
            return new Report(Optional.empty(), before, alerts, 0, 0);
        }
        VerifiedCheckpoint now = log.get().checkpoint();
        requireFresh(now);
        boolean continues = before.isEmpty() || continuesFrom(before.get(), log.get());
        for (LogSource other : others) {
            compare(log.get(), other);
        }
        List<Long> missing = guarded(Alert.Kind.DAMAGED, () -> LogFsck.check(source, trust.witnesses()))
                .map(LogFsck.Report::missingPayloads)
                .orElse(List.of());
        Optional<LogSurvey> survey = guarded(Alert.Kind.DAMAGED, () -> LogSurvey.read(log.get(), trust));
        if (survey.isEmpty() || !continues) {
            return new Report(Optional.of(now), before, alerts, 0, 0);
        }
        SortedMap<Long, Sha256> known =
                new TreeMap<>(before.map(MonitorState::verdicts).orElseGet(TreeMap::new));
        long fresh = 0;
        long diverged = 0;
        SortedMap<Long, Sha256> seen = new TreeMap<>();
        for (Logged<AuditVerdictStatement> verdict : survey.get().verdicts()) {
            if (survey.get()
                    .registry()
                    .auditorName(verdict.signer(), verdict.index())
                    .isPresent()) {
                seen.put(verdict.index(), verdict.payload());
                if (!known.containsKey(verdict.index())) {
                    fresh++;
                    diverged += verdict.statement().report().verdict() == Verdict.DIVERGED ? 1 : 0;
                }
            }
        }
        vanished(known, seen, missing);
        known.putAll(seen);
        SortedMap<Long, MonitorState.Waiting> waiting =
                before.map(MonitorState::waiting).orElseGet(TreeMap::new);
        if (now.witnessedAt().isPresent()) {
            Deadlines deadlines =
                    Deadlines.after(waiting, survey.get(), now.witnessedAt().get());
            alerts.addAll(deadlines.alerts());
            waiting = deadlines.waiting();
        }
        return new Report(
                Optional.of(now), Optional.of(new MonitorState(now.note(), known, waiting)), alerts, fresh, diverged);
    }

    private void requireFresh(VerifiedCheckpoint checkpoint) {
        Instant now = limits.clock().instant();
        Optional<Instant> witnessed = checkpoint.witnessedAt();
        if (witnessed.isPresent() && witnessed.get().isAfter(now.plus(SKEW))) {
            alerts.add(new Alert(
                    Alert.Kind.STALE,
                    "the newest cosignature is of %s, here it is %s: a clock is wrong"
                            .formatted(witnessed.get(), now)));
        } else if (witnessed.isEmpty() || witnessed.get().isBefore(now.minus(limits.maxAge()))) {
            alerts.add(new Alert(
                    Alert.Kind.STALE,
                    "the newest cosignature is of %s, %s or less ago was expected: the log or this copy stands still"
                            .formatted(witnessed.map(Instant::toString).orElse("nobody"), limits.maxAge())));
        }
    }

    private boolean continuesFrom(MonitorState before, LogReader log) throws AttestationException {
        Checkpoint earlier = Checkpoint.parse(before.checkpoint().text());
        if (earlier.origin().equals(log.origin()) && earlier.size() > log.size()) {
            alerts.add(new Alert(
                    Alert.Kind.ROLLED_BACK,
                    "%d entries were there before, now there are %d: an old copy, or the log was cut back"
                            .formatted(earlier.size(), log.size())));
            return false;
        }
        return guarded(Alert.Kind.FORK, () -> {
                    log.requireContinues(earlier);
                    return earlier;
                })
                .isPresent();
    }

    /** The smaller tree must begin the larger one, whoever shows which. */
    private void compare(LogReader log, LogSource other) throws AttestationException {
        Optional<LogReader> copy = guarded(Alert.Kind.NOT_WITNESSED, () -> LogReader.open(other, trust.witnesses()));
        if (copy.isEmpty()) {
            return;
        }
        boolean larger = copy.get().size() > log.size();
        LogReader longer = larger ? copy.get() : log;
        LogReader shorter = larger ? log : copy.get();
        try {
            longer.requireContinues(shorter.checkpoint().checkpoint());
        } catch (AttestationException e) {
            rethrowUnlessEvidence(e);
            alerts.add(new Alert(
                    Alert.Kind.FORK,
                    "%s and %s show different trees: %s".formatted(source.place(), other.place(), e.getMessage())));
        }
    }

    private void vanished(SortedMap<Long, Sha256> known, SortedMap<Long, Sha256> seen, List<Long> missing) {
        known.forEach((index, payload) -> {
            if (!payload.equals(seen.get(index))) {
                alerts.add(new Alert(
                        Alert.Kind.VANISHED,
                        "verdict at entry %d (payload %s) was there and cannot be read now".formatted(index, payload)));
            }
        });
        missing.stream()
                .filter(index -> !known.containsKey(index))
                .forEach(index -> alerts.add(new Alert(
                        Alert.Kind.VANISHED,
                        "the payload of entry %d is missing: it may be a verdict".formatted(index))));
    }

    /**
     * Compares an index, such as a page or an API, with the verdicts that were seen.
     *
     * @param shown log indexes that the index lists
     */
    public static List<Alert> leftOut(MonitorState state, Set<Long> shown, String index) {
        return state.verdicts().keySet().stream()
                .filter(entry -> !shown.contains(entry))
                .map(entry -> new Alert(
                        Alert.Kind.VANISHED, "%s does not list the verdict at entry %d".formatted(index, entry)))
                .toList();
    }

    private interface Look<T> {
        T look() throws AttestationException;
    }

    private <T> Optional<T> guarded(Alert.Kind kind, Look<T> look) throws AttestationException {
        try {
            return Optional.of(look.look());
        } catch (AttestationException e) {
            rethrowUnlessEvidence(e);
            alerts.add(new Alert(kind, e.getMessage()));
            return Optional.empty();
        }
    }

    /** A network that fails says nothing about the log. */
    private static void rethrowUnlessEvidence(AttestationException e) throws AttestationException {
        if (e.kind() == AttestationException.Kind.ENVIRONMENT) {
            throw e;
        }
    }
}
