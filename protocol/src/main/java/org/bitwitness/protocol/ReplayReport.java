package org.bitwitness.protocol;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What the replay of one audit unit found. A verdict is never stronger than its evidence: a difference needs a grade, a
 * first difference and a second backend that repeats it; not deciding needs a reason.
 *
 * @param expectedRoot what the recording commits to for this unit
 * @param computedRoot what the replay computed
 * @param selfTestDigest what the backend's self-test computed before the replay
 * @param environmentDigest hash of the machine's description
 * @param stepsReplayed steps computed, those on the way from the checkpoint included
 * @param tokens tokens pushed through the model
 * @param wall time on the clock for the replay
 */
public record ReplayReport(
        AuditUnit unit,
        Verdict verdict,
        Optional<EvidenceGrade> grade,
        String backend,
        ProfileId profile,
        Optional<Confirmation> confirmedBy,
        Sha256 expectedRoot,
        Sha256 computedRoot,
        Optional<FirstDifference> firstDifference,
        Optional<String> reason,
        ReplayProof proof,
        Sha256 selfTestDigest,
        Sha256 environmentDigest,
        Instant startedOn,
        Instant finishedOn,
        long stepsReplayed,
        long tokens,
        Duration wall) {
    public ReplayReport {
        switch (verdict) {
            case REPRODUCED -> {
                require(firstDifference.isEmpty(), "REPRODUCED cannot have a first difference");
                require(expectedRoot.equals(computedRoot), "REPRODUCED needs equal roots");
            }
            case DIVERGED -> {
                require(firstDifference.isPresent(), "DIVERGED needs a first difference");
                require(grade.isPresent(), "DIVERGED needs a grade");
                require(
                        confirmedBy.map(Confirmation::result).equals(Optional.of(Confirmation.Result.SAME)),
                        "DIVERGED needs a second backend that computed the same bits");
            }
            case INCONCLUSIVE -> {
                require(reason.isPresent(), "INCONCLUSIVE needs a reason");
                require(grade.isEmpty(), "INCONCLUSIVE has no grade");
            }
        }
        require(stepsReplayed >= 0 && tokens >= 0 && !wall.isNegative(), "counts and times cannot be negative");
        require(!finishedOn.isBefore(startedOn), "a replay cannot finish before it starts");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }
}
