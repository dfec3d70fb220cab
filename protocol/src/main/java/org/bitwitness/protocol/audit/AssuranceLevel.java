package org.bitwitness.protocol.audit;

/** How much is proven about a model. Always shown with coverage and detection power. */
public enum AssuranceLevel {
    BW0("recorded: data, order, descriptor and checkpoints in one signed hash tree"),
    BW1("committed in a witnessed public log before any challenge was drawn, by a beacon that neither trainer nor"
            + " auditor controls"),
    BW2("audited units reproduce bit for bit on the trainer's own software stack"),
    BW3("audited units reproduce bit for bit on any CPU or GPU, by the numeric profile");

    private final String claim;

    AssuranceLevel(String claim) {
        this.claim = claim;
    }

    /** What the level says, in a sentence. */
    public String claim() {
        return claim;
    }

    /**
     * What is known about a run, each the verifier's own finding.
     *
     * @param witnessedBeforeChallenge every commitment is in a log that enough witnesses cosigned before the challenge
     * @param beaconIsIndependent the mode is not {@code vrf-only}
     * @param drawnUnitsReproduced units that were drawn, not chosen, and reproduced
     * @param onNumericProfile the reproduction follows a numeric profile, not only the trainer's own software
     * @param anyDiverged some unit of the run diverged, drawn or not
     */
    public record Evidence(
            boolean witnessedBeforeChallenge,
            boolean beaconIsIndependent,
            long drawnUnitsReproduced,
            boolean onNumericProfile,
            boolean anyDiverged) {}

    /** The highest level whose claim holds. A unit that diverged leaves only the claims about commitments. */
    public static AssuranceLevel of(Evidence evidence) {
        if (!evidence.witnessedBeforeChallenge() || !evidence.beaconIsIndependent()) {
            return BW0;
        }
        if (evidence.drawnUnitsReproduced() == 0 || evidence.anyDiverged()) {
            return BW1;
        }
        return evidence.onNumericProfile() ? BW3 : BW2;
    }
}
