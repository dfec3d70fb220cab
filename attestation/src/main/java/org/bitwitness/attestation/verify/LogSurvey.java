package org.bitwitness.attestation.verify;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.challenge.ChallengeVerifier;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;

/**
 * Everything a log says, read once from its first entry to the last of one witnessed checkpoint. Verdicts are found
 * here and not in what anybody uploads, so a failed one that somebody leaves out is still seen.
 *
 * <p>Anybody may append to a log. So a statement counts only by its signer, and one that cannot be read disturbs an
 * answer only where its signer is trusted, since it might have been a failed verdict. A statement counts once, at its
 * first entry: from one ECDSA signature anybody makes a second one that holds, and with it another entry.
 */
public final class LogSurvey {
    private final LogReader log;
    private final TrustPolicy trust;
    private final ChallengeVerifier drawing;
    private final List<Logged<TrainingCommitmentStatement>> commitments = new ArrayList<>();
    private final List<Logged<AuditChallengeStatement>> challenges = new ArrayList<>();
    private final List<Logged<AuditVerdictStatement>> verdicts = new ArrayList<>();
    private final List<Logged<KeyEventStatement>> keyEvents = new ArrayList<>();
    private final List<Logged<DrillCommitmentStatement>> drillCommitments = new ArrayList<>();
    private final List<Logged<DrillOpeningStatement>> drillOpenings = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final Map<Signed, Long> firstIndex = new HashMap<>();
    private final SortedMap<Long, Long> copies = new TreeMap<>();

    /**
     * An entry that could not be read.
     *
     * @param decisive true where no answer can rest on this log before it is mended
     */
    public record Gap(long index, String why, boolean decisive) {}

    /** Who said what. */
    private record Signed(VerifyingKey signer, Sha256 payload) {}

    private LogSurvey(LogReader log, TrustPolicy trust) throws AttestationException {
        this.log = log;
        this.trust = trust;
        this.drawing = new ChallengeVerifier(log, trust);
    }

    /**
     * Reads a log.
     *
     * @param log opened at a checkpoint that the policy of {@code trust} accepts
     * @throws AttestationException refused, if an entry or a payload was changed
     */
    public static LogSurvey read(LogReader log, TrustPolicy trust) throws AttestationException {
        LogSurvey survey = new LogSurvey(log, trust);
        log.visit(0, survey::take);
        return survey;
    }

    private void take(long index, LogEntry entry, Optional<byte[]> payload) throws AttestationException {
        if (payload.isEmpty()) {
            String what = entry.payloadDigest()
                    .map(digest -> "payload " + digest + " is missing")
                    .orElse("a %s entry does not say which payload it is for"
                            .formatted(entry.kind().word()));
            gaps.add(new Gap(index, what, true));
            return;
        }
        VerifiedPayload verified;
        try {
            verified = entry.verified(payload.get());
        } catch (AttestationException notSigned) {
            // Nobody's word, so no failed verdict either; a log that took it may not take the others' answers away.
            gaps.add(new Gap(index, String.valueOf(notSigned.getMessage()), false));
            return;
        }
        Long first = firstIndex.putIfAbsent(new Signed(verified.signer(), verified.digest()), index);
        if (first != null) {
            copies.put(index, first);
            return;
        }
        try {
            sort(index, verified, entry.leafHash());
        } catch (AttestationException e) {
            gaps.add(new Gap(index, e.getMessage(), isTrusted(entry.key())));
        }
    }

    private void sort(long index, VerifiedPayload payload, Sha256 leafHash) throws AttestationException {
        Statement statement = Statement.parse(payload);
        switch (statement.predicateType()) {
            case PredicateType.TRAINING_COMMITMENT ->
                commitments.add(logged(index, TrainingCommitmentStatement.of(statement), payload, leafHash));
            case PredicateType.AUDIT_CHALLENGE ->
                challenges.add(logged(index, AuditChallengeStatement.of(statement), payload, leafHash));
            case PredicateType.AUDIT_VERDICT ->
                verdicts.add(logged(index, AuditVerdictStatement.of(statement), payload, leafHash));
            case PredicateType.KEY_EVENT ->
                keyEvents.add(logged(index, KeyEventStatement.of(statement), payload, leafHash));
            case PredicateType.DRILL_COMMITMENT ->
                drillCommitments.add(logged(index, DrillCommitmentStatement.of(statement), payload, leafHash));
            case PredicateType.DRILL_OPENING ->
                drillOpenings.add(logged(index, DrillOpeningStatement.of(statement), payload, leafHash));
            default -> unknown(statement.predicateType());
        }
    }

    /** Other people's predicates are none of our business; an unknown version of ours may be. */
    private static void unknown(String predicateType) throws AttestationException {
        if (predicateType.startsWith(PredicateType.PREFIX)) {
            throw AttestationException.malformed(
                    "predicate type %s is not known to this version: use a newer bitwitness".formatted(predicateType));
        }
    }

    private static <T> Logged<T> logged(long index, T statement, VerifiedPayload payload, Sha256 leafHash) {
        return new Logged<>(index, statement, payload.signer(), payload.digest(), leafHash);
    }

    private boolean isTrusted(VerifyingKey key) {
        return registry().everTrusted(key);
    }

    public LogReader log() {
        return log;
    }

    public TrustPolicy trust() {
        return trust;
    }

    /** All commitments in log order, of all runs and signers. */
    public List<Logged<TrainingCommitmentStatement>> commitments() {
        return List.copyOf(commitments);
    }

    public List<Logged<AuditChallengeStatement>> challenges() {
        return List.copyOf(challenges);
    }

    public List<Logged<AuditVerdictStatement>> verdicts() {
        return List.copyOf(verdicts);
    }

    /** Enrolments, rotations and revocations in log order, also those without effect. */
    public List<Logged<KeyEventStatement>> keyEvents() {
        return List.copyOf(keyEvents);
    }

    /** In log order, by anybody; {@link DrillFinding} says which hold. */
    public List<Logged<DrillCommitmentStatement>> drillCommitments() {
        return List.copyOf(drillCommitments);
    }

    public List<Logged<DrillOpeningStatement>> drillOpenings() {
        return List.copyOf(drillOpenings);
    }

    /** Whose signature counts at which entry. */
    public KeyRegistry registry() {
        return drawing.registry();
    }

    /** Entries that say what their signer said in an earlier one, which alone counts: index to that one's index. */
    public SortedMap<Long, Long> copies() {
        return Collections.unmodifiableSortedMap(copies);
    }

    /** Entries that could not be read, by index. */
    public List<Gap> gaps() {
        return List.copyOf(gaps);
    }

    /** Why a challenge's units were not drawn as the rule says; empty where drawing again gives the same units. */
    Optional<String> drawingFault(long challengeIndex) {
        try {
            drawing.verify(challengeIndex);
            return Optional.empty();
        } catch (AttestationException e) {
            return Optional.of(e.getMessage());
        }
    }

    /**
     * Refuses to answer from a log with holes.
     *
     * @throws AttestationException inconclusive: the message lists the entries
     */
    public void requireComplete() throws AttestationException {
        List<Gap> decisive = gaps.stream().filter(Gap::decisive).toList();
        if (!decisive.isEmpty()) {
            List<String> lines = decisive.stream()
                    .limit(20)
                    .map(gap -> "entry %d: %s".formatted(gap.index(), gap.why()))
                    .toList();
            throw AttestationException.inconclusive(
                    "%s cannot be read in full, so a failed verdict may be hidden in it:%n  %s%n%s"
                            .formatted(
                                    log.origin(),
                                    String.join(System.lineSeparator() + "  ", lines),
                                    "fetch the log again from its operator or a mirror"));
        }
    }

    /** Runs that a commitment names, in log order. */
    public SequencedSet<RunId> runs() {
        SequencedSet<RunId> runs = new LinkedHashSet<>();
        commitments.forEach(logged -> runs.add(logged.statement().commitment().runId()));
        return runs;
    }

    /** True where an accepted trainer committed to this run; what anybody else logs about runs says nothing of others. */
    public boolean isByAcceptedTrainer(RunId run) {
        return commitments.stream()
                .filter(logged -> logged.statement().commitment().runId().equals(run))
                .anyMatch(logged ->
                        registry().trainerName(logged.signer(), logged.index()).isPresent());
    }

    /** Runs with a commitment that releases a file with this digest, has this root, or is this commitment or run. */
    public SequencedSet<RunId> runsAbout(Sha256 digest) {
        SequencedSet<RunId> runs = new LinkedHashSet<>();
        for (Logged<TrainingCommitmentStatement> logged : commitments) {
            if (logged.statement().toStatement().isAbout(digest)) {
                runs.add(logged.statement().commitment().runId());
            }
        }
        return runs;
    }
}
