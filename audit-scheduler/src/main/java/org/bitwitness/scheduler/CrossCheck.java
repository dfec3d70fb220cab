package org.bitwitness.scheduler;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.UnitReplayer;

/**
 * Computes other auditors' replay proofs again. A proof is a root over chunks of tensors that are in no recording,
 * chosen and hashed with its auditor's key and challenge: only a replay gives it. An auditor whose signed proof is not
 * the one that a replay gives did not replay, or replayed something else.
 */
public final class CrossCheck {

    /** What replaying another auditor's unit showed. */
    public sealed interface Finding {
        /** The replay gives the verdict and the proof that the auditor signed. */
        record Same() implements Finding {}

        /** The replay gives the auditor's verdict and another proof: the auditor cannot have done this work. */
        record OtherProof(ReplayProof computed) implements Finding {}

        /** The replay gives another verdict, so the proofs are not of the same work. */
        record OtherVerdict(ReplayReport own) implements Finding {}

        /** Nothing could be compared. */
        record Undecided(String reason) implements Finding {}
    }

    /** A verdict in the log, and what came of checking it. */
    public record Result(Logged<AuditVerdictStatement> verdict, Finding finding) {
        /** What the auditor signed. */
        public ReplayReport report() {
            return verdict.statement().report();
        }
    }

    private final Path recording;
    private final LogSurvey survey;
    private final ReplayOptions machine;

    /** @param machine how to replay here; its salt is not used */
    public CrossCheck(Path recording, LogSurvey survey, ReplayOptions machine) {
        this.recording = recording;
        this.survey = survey;
        this.machine = machine;
    }

    /**
     * The decided verdicts on this recording's run whose log index is wanted, in log order.
     *
     * @throws AttestationException if the recording's run is not the one in the log
     */
    public List<Logged<AuditVerdictStatement>> verdicts(LongPredicate wanted)
            throws AttestationException, ProtocolException {
        RunId run = AuditTarget.find(recording, survey).commitment().runId();
        List<Logged<AuditVerdictStatement>> chosen = new ArrayList<>();
        for (Logged<AuditVerdictStatement> verdict : survey.verdicts()) {
            boolean decided = verdict.statement().report().verdict() != Verdict.INCONCLUSIVE;
            if (decided && verdict.statement().basis().runId().equals(run) && wanted.test(verdict.index())) {
                chosen.add(verdict);
            }
        }
        return chosen;
    }

    /** Replays what a verdict is about, as if its auditor did. */
    public Result check(Logged<AuditVerdictStatement> verdict, ProgressListener progress) {
        return new Result(verdict, find(verdict, progress));
    }

    private Finding find(Logged<AuditVerdictStatement> verdict, ProgressListener progress) {
        AuditVerdictStatement statement = verdict.statement();
        Optional<Sha256> challenge = Optional.empty();
        if (statement.basis().drawn()) {
            challenge = challenge(statement.basis().challengeLogIndex().orElseThrow());
            if (challenge.isEmpty()) {
                return new Finding.Undecided("entry %d, which the verdict calls its challenge, is none"
                        .formatted(statement.basis().challengeLogIndex().orElseThrow()));
            }
        }
        byte[] spki = verdict.signer().spki();
        ReplaySalt salt = new ReplaySalt(Optional.of(new ReplaySalt.PublicKeyBytes(spki)), challenge);
        return compare(statement.report(), replay(statement, salt, progress));
    }

    private Optional<Sha256> challenge(long index) {
        return survey.challenges().stream()
                .filter(logged -> logged.index() == index)
                .map(Logged::payload)
                .findFirst();
    }

    private ReplayReport replay(AuditVerdictStatement statement, ReplaySalt salt, ProgressListener progress) {
        CommitmentDigest commitment = statement.basis().commitment();
        try (CommittedRun run = CommittedRun.open(recording, Optional.of(commitment))) {
            ReplayOptions options = new ReplayOptions(machine.backend(), machine.threads(), salt);
            return new UnitReplayer(run, EngineFactory.STANDARD, options, InstantSource.system())
                    .replay(statement.report().unit(), progress);
        } catch (ReplayException e) {
            return UnitReplayer.inconclusive(
                    statement.report().unit(),
                    machine.backend(),
                    statement.report().profile(),
                    String.valueOf(e.getMessage()),
                    InstantSource.system());
        }
    }

    private static Finding compare(ReplayReport signed, ReplayReport own) {
        if (own.verdict() == Verdict.INCONCLUSIVE) {
            return new Finding.Undecided(own.reason().orElse("the replay decided nothing"));
        }
        if (own.verdict() != signed.verdict() || !own.computedRoot().equals(signed.computedRoot())) {
            return new Finding.OtherVerdict(own);
        }
        return own.proof().equals(signed.proof()) ? new Finding.Same() : new Finding.OtherProof(own.proof());
    }
}
