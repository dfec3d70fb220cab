package org.bitwitness.attestation.verify;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.protocol.DescriptorDigest;

/**
 * A drill that was opened, and everything that the log says about it: the opening is of a commitment by the same key that
 * stood in the log before the run began.
 *
 * @param commitment logged before the run
 * @param chain the run
 */
public record DrillFinding(
        Logged<DrillOpeningStatement> opening, Logged<DrillCommitmentStatement> commitment, CommitmentChain chain) {

    /**
     * An opening that holds, or why not.
     *
     * @param fault the reason; nothing rests on such an opening
     */
    public record Refused(Logged<DrillOpeningStatement> opening, String fault) {}

    /** All openings of a log. */
    public record All(List<DrillFinding> held, List<Refused> refused) {
        public All {
            held = List.copyOf(held);
            refused = List.copyOf(refused);
        }
    }

    /**
     * Checks every opening in a log.
     *
     * @throws AttestationException inconclusive where the log has holes
     */
    public static All all(LogSurvey survey) throws AttestationException {
        survey.requireComplete();
        List<DrillFinding> held = new ArrayList<>();
        List<Refused> refused = new ArrayList<>();
        for (Logged<DrillOpeningStatement> opening : survey.drillOpenings()) {
            try {
                held.add(of(survey, opening, held));
            } catch (AttestationException e) {
                refused.add(new Refused(opening, String.valueOf(e.getMessage())));
            }
        }
        return new All(held, refused);
    }

    private static DrillFinding of(LogSurvey survey, Logged<DrillOpeningStatement> opening, List<DrillFinding> earlier)
            throws AttestationException {
        DrillOpeningStatement said = opening.statement();
        Logged<DrillCommitmentStatement> commitment = commitment(survey, opening);
        CommitmentChain chain = CommitmentChain.of(survey, said.runId());
        DescriptorDigest descriptor =
                chain.open().statement().commitment().open().orElseThrow().descriptorDigest();
        if (!descriptor.equals(said.drill().descriptor())) {
            throw AttestationException.refused("run %s has descriptor %s, the opening is of a run with descriptor %s"
                    .formatted(said.runId(), descriptor, said.drill().descriptor()));
        }
        if (commitment.index() >= chain.open().index()) {
            throw AttestationException.refused(
                    "the drill was committed at entry %d, the run had begun at entry %d: faults must be drawn before"
                            .formatted(commitment.index(), chain.open().index()));
        }
        if (earlier.stream().anyMatch(other -> other.commitment().index() == commitment.index())) {
            throw AttestationException.refused(
                    "commitment %d was opened before, and counts once".formatted(commitment.index()));
        }
        return new DrillFinding(opening, commitment, chain);
    }

    private static Logged<DrillCommitmentStatement> commitment(LogSurvey survey, Logged<DrillOpeningStatement> opening)
            throws AttestationException {
        DrillOpeningStatement said = opening.statement();
        Logged<DrillCommitmentStatement> found = survey.drillCommitments().stream()
                .filter(logged -> logged.index() == said.commitmentLogIndex())
                .findFirst()
                .orElseThrow(() -> AttestationException.refused(
                        "entry %d should be the drill's commitment, and is no drill commitment"
                                .formatted(said.commitmentLogIndex())));
        if (!found.signer().equals(opening.signer())) {
            throw AttestationException.refused("the commitment at entry %d is by key %s, the opening by key %s"
                    .formatted(
                            found.index(), found.signer().id(), opening.signer().id()));
        }
        if (!found.statement().drill().equals(said.drill().commitment())) {
            throw AttestationException.refused(
                    "entry %d commits to %s; descriptor, faults and salt of the opening give %s"
                            .formatted(
                                    found.index(),
                                    found.statement().drill(),
                                    said.drill().commitment()));
        }
        return found;
    }
}
