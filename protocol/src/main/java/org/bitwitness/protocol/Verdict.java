package org.bitwitness.protocol;

/** Outcome of replaying one audit unit. Not being able to decide is an outcome, never a pass. */
public enum Verdict {
    /** Every committed value of the unit came out with the same bits. */
    REPRODUCED,
    /** A committed value came out with other bits, and a second backend repeats it. */
    DIVERGED,
    /** Nothing can be said, with a reason: damaged store, failed self-test, backends that disagree. */
    INCONCLUSIVE
}
