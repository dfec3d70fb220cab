package org.bitwitness.attestation.verify;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.record.Commitment;

/**
 * The commitments of one run as its trainer logged them: OPEN first, then each naming the one before.
 *
 * @param trainer the key that OPEN names; nobody else's commitments are here, and none from after its end: a run
 *     belongs to the key that opened it, and a key that takes over opens runs of its own
 * @param commitments by sequence, from 0 without a hole
 */
public record CommitmentChain(VerifyingKey trainer, List<Logged<TrainingCommitmentStatement>> commitments) {
    public CommitmentChain {
        commitments = List.copyOf(commitments);
        if (commitments.isEmpty()) {
            throw new IllegalArgumentException("a chain begins with OPEN");
        }
    }

    /**
     * Puts a run's commitments in order and checks them against each other.
     *
     * @throws AttestationException refused: no OPEN by its own trainer, two stories, a hole, commitments logged in
     *     another order than made
     */
    public static CommitmentChain of(LogSurvey survey, RunId runId) throws AttestationException {
        List<Logged<TrainingCommitmentStatement>> all = survey.commitments().stream()
                .filter(logged -> commitment(logged).runId().equals(runId))
                .filter(logged -> survey.registry()
                        .endedBefore(logged.signer(), logged.index())
                        .isEmpty())
                .toList();
        Logged<TrainingCommitmentStatement> open = all.stream()
                .filter(logged -> opens(logged))
                .findFirst()
                .orElseThrow(() -> AttestationException.refused(
                        "run %s: expected an OPEN commitment signed by the trainer it names, found none in the log that was made while its key counted"
                                .formatted(runId)));
        List<Logged<TrainingCommitmentStatement>> own = all.stream()
                .filter(logged -> logged.signer().equals(open.signer()))
                .sorted(Comparator.comparingLong(logged -> commitment(logged).sequence()))
                .toList();
        for (int i = 1; i < own.size(); i++) {
            requireFollows(own.get(i - 1), own.get(i));
        }
        return new CommitmentChain(open.signer(), own);
    }

    /** OPEN counts only from the trainer that it names: anybody can log a copy of somebody's OPEN. */
    private static boolean opens(Logged<TrainingCommitmentStatement> logged) {
        return commitment(logged)
                .open()
                .map(ext -> java.util.Arrays.equals(
                        ext.trainerSpki(), logged.signer().spki()))
                .orElse(false);
    }

    private static void requireFollows(
            Logged<TrainingCommitmentStatement> earlier, Logged<TrainingCommitmentStatement> later)
            throws AttestationException {
        Commitment before = commitment(earlier);
        Commitment after = commitment(later);
        if (after.sequence() == before.sequence()) {
            throw AttestationException.refused(
                    "run %s: the trainer told two stories: entries %d and %d are both commitment %d, with digests %s and %s"
                            .formatted(
                                    before.runId(),
                                    earlier.index(),
                                    later.index(),
                                    before.sequence(),
                                    before.digest(),
                                    after.digest()));
        }
        if (after.sequence() != before.sequence() + 1 || !after.previousDigest().equals(Optional.of(before.digest()))) {
            throw AttestationException.refused(
                    "run %s: expected commitment %d after %s, found commitment %d (entry %d) after %s"
                            .formatted(
                                    before.runId(),
                                    before.sequence() + 1,
                                    before.digest(),
                                    after.sequence(),
                                    later.index(),
                                    after.previousDigest()
                                            .map(CommitmentDigest::hex)
                                            .orElse("none")));
        }
        if (later.index() < earlier.index() || after.endStep() < before.endStep()) {
            throw AttestationException.refused(
                    "run %s: commitment %d (entry %d, %d steps) should come after commitment %d (entry %d, %d steps)"
                            .formatted(
                                    before.runId(),
                                    after.sequence(),
                                    later.index(),
                                    after.endStep(),
                                    before.sequence(),
                                    earlier.index(),
                                    before.endStep()));
        }
    }

    private static Commitment commitment(Logged<TrainingCommitmentStatement> logged) {
        return logged.statement().commitment();
    }

    /** OPEN. */
    public Logged<TrainingCommitmentStatement> open() {
        return commitments.getFirst();
    }

    /** The newest commitment. */
    public Logged<TrainingCommitmentStatement> last() {
        return commitments.getLast();
    }

    /** The commitment with this digest. */
    public Optional<Logged<TrainingCommitmentStatement>> find(CommitmentDigest digest) {
        return commitments.stream()
                .filter(logged -> commitment(logged).digest().equals(digest))
                .findFirst();
    }

    public RunId runId() {
        return commitment(open()).runId();
    }

    /** True when the trainer has committed to a released model. */
    public boolean isFinished() {
        return commitment(last()).isFinal();
    }

    /** All that the run's commitments list as released, by name. */
    public List<org.bitwitness.protocol.record.FileEntry> released() {
        List<org.bitwitness.protocol.record.FileEntry> files = new ArrayList<>();
        commitments.forEach(logged -> files.addAll(logged.statement().released()));
        return files;
    }
}
