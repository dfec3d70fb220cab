package org.bitwitness.attestation.verify;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.protocol.CommitmentDigest;

/**
 * In mode {@code drand} every cosigned tree that holds a commitment gives another draw, and every later cosignature of
 * the same tree, too. Which came first is not in a log; but a draw from an earlier one proves that a later one is not
 * the first, so one honest auditor is enough to take the choice from all others.
 */
final class FirstDraws {
    /** Orders draws from one commitment by the tree and the round they rest on. */
    private record Place(long treeSize, long round) {
        static final Comparator<Place> EARLIEST_FIRST =
                Comparator.comparingLong(Place::treeSize).thenComparingLong(Place::round);

        static Optional<Place> of(AuditChallengeStatement challenge) {
            return challenge.beacon() instanceof BeaconEvidence.Drand drand
                    ? Optional.of(new Place(challenge.position().treeSize(), drand.round()))
                    : Optional.empty();
        }
    }

    private FirstDraws() {}

    /** The same challenges; one that rests on a later tree or round than another accepted one has a fault. */
    static List<ChallengeFinding> only(List<ChallengeFinding> challenges) {
        Map<CommitmentDigest, ChallengeFinding> first = new HashMap<>();
        for (ChallengeFinding finding : challenges) {
            if (finding.counts() && place(finding).isPresent()) {
                first.merge(commitment(finding), finding, (a, b) -> isLater(a, b) ? b : a);
            }
        }
        return challenges.stream()
                .map(finding -> Optional.ofNullable(first.get(commitment(finding)))
                        .filter(earliest -> finding.counts() && isLater(finding, earliest))
                        .map(earliest -> later(finding, earliest))
                        .orElse(finding))
                .toList();
    }

    private static ChallengeFinding later(ChallengeFinding finding, ChallengeFinding earliest) {
        String fault =
                "it rests on a later tree or drand round than the challenge at entry %d: whoever waits can choose"
                        .formatted(earliest.logged().index());
        return new ChallengeFinding(finding.logged(), finding.auditor(), Optional.of(fault));
    }

    private static boolean isLater(ChallengeFinding one, ChallengeFinding other) {
        Optional<Place> a = place(one);
        Optional<Place> b = place(other);
        return a.isPresent() && b.isPresent() && Place.EARLIEST_FIRST.compare(a.get(), b.get()) > 0;
    }

    private static Optional<Place> place(ChallengeFinding finding) {
        return Place.of(finding.logged().statement());
    }

    private static CommitmentDigest commitment(ChallengeFinding finding) {
        return finding.logged().statement().target().commitment();
    }
}
