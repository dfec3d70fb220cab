package org.bitwitness.replayer;

import org.bitwitness.kernels.StepEngine;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Sha256;

/**
 * A piece of a replay that came out otherwise than it was recorded. Not yet a verdict: a second backend has to repeat
 * it first.
 *
 * @param where the first difference, as fine as the recording allows
 * @param expected root of the piece in the recording
 * @param computed root of the piece as replayed
 * @param again computes the piece once more
 */
record Difference(FirstDifference where, Sha256 expected, Sha256 computed, Again again) {

    /** Computes the root of a disputed piece from the same inputs on another engine. */
    @FunctionalInterface
    interface Again {
        Sha256 on(StepEngine other) throws StoreDamage;
    }

    /** A difference between recorded values that no backend computes: comparing again is all there is to repeat. */
    static Difference withoutArithmetic(FirstDifference where, Sha256 expected, Sha256 computed) {
        return new Difference(where, expected, computed, other -> computed);
    }
}
