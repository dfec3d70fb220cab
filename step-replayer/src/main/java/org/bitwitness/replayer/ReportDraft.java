package org.bitwitness.replayer;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.merkle.MerkleTree;

/** A report being made: knows what is the same in every outcome of one replay. */
final class ReportDraft {
    /** Stands where no root was computed: the root of nothing. */
    private static final Sha256 NOTHING = MerkleTree.EMPTY_ROOT;

    private static final ReplayProof NO_PROOF = new ReplayProof(ReplayProof.Kind.POSSESSION, NOTHING, 0);

    /** What every report of one replayer has. */
    record Setting(
            BackendId backend,
            ProfileId profile,
            Sha256 selfTestDigest,
            Sha256 environmentDigest,
            InstantSource clock) {}

    private final AuditUnit unit;
    private final Setting setting;
    private final Instant resumedOn;
    private Instant startedOn;
    private Duration workedBefore = Duration.ZERO;
    private Optional<UnitWork> work = Optional.empty();

    ReportDraft(AuditUnit unit, Setting setting) {
        this.unit = unit;
        this.setting = setting;
        this.resumedOn = setting.clock().instant();
        this.startedOn = resumedOn;
    }

    /** The replay began in an earlier process: its time counts, the pause between does not. */
    void resume(KeptWalk kept) {
        if (!kept.startedOn().isAfter(resumedOn)) {
            startedOn = kept.startedOn();
        }
        workedBefore = kept.worked();
    }

    Instant startedOn() {
        return startedOn;
    }

    /** Time worked so far, in all processes. */
    Duration worked() {
        return worked(setting.clock().instant());
    }

    private Duration worked(Instant now) {
        // The machine's clock may have been set back meanwhile.
        return workedBefore.plus(now.isBefore(resumedOn) ? Duration.ZERO : Duration.between(resumedOn, now));
    }

    /** Counts and proof come from here from now on. */
    UnitWork begin(UnitWork begun) {
        work = Optional.of(begun);
        return begun;
    }

    ReplayReport reproduced(Sha256 root) {
        return report(
                new Finding(Verdict.REPRODUCED, Optional.of(EvidenceGrade.PROVEN), root, root),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    ReplayReport diverged(Difference difference, Confirmation confirmedBy) {
        return report(
                new Finding(
                        Verdict.DIVERGED,
                        Optional.of(EvidenceGrade.PROVEN),
                        difference.expected(),
                        difference.computed()),
                Optional.of(confirmedBy),
                Optional.of(difference.where()),
                difference.where().note());
    }

    /** A difference that could not be confirmed; it stays in the report, as a lead and not as an accusation. */
    ReplayReport undecided(Difference difference, Optional<Confirmation> confirmedBy, String reason) {
        return report(
                new Finding(Verdict.INCONCLUSIVE, Optional.empty(), difference.expected(), difference.computed()),
                confirmedBy,
                Optional.of(difference.where()),
                Optional.of(reason));
    }

    ReplayReport inconclusive(String reason) {
        return report(
                new Finding(Verdict.INCONCLUSIVE, Optional.empty(), NOTHING, NOTHING),
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason));
    }

    private record Finding(Verdict verdict, Optional<EvidenceGrade> grade, Sha256 expected, Sha256 computed) {}

    private ReplayReport report(
            Finding finding,
            Optional<Confirmation> confirmedBy,
            Optional<FirstDifference> firstDifference,
            Optional<String> reason) {
        Instant finishedOn = setting.clock().instant();
        if (finishedOn.isBefore(startedOn)) {
            // The machine's clock was set back meanwhile.
            finishedOn = startedOn;
        }
        return new ReplayReport(
                unit,
                finding.verdict(),
                finding.grade(),
                setting.backend().text(),
                setting.profile(),
                confirmedBy,
                finding.expected(),
                finding.computed(),
                firstDifference,
                reason,
                work.map(UnitWork::proof).orElse(NO_PROOF),
                setting.selfTestDigest(),
                setting.environmentDigest(),
                startedOn,
                finishedOn,
                work.map(UnitWork::steps).orElse(0L),
                work.map(UnitWork::tokens).orElse(0L),
                worked(finishedOn));
    }
}
