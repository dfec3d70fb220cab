package org.bitwitness.replayer;

import org.bitwitness.protocol.Sha256;

/** What replaying a unit led to, before a second backend was asked. */
sealed interface UnitOutcome {
    /** Everything the unit covers came out as recorded; {@code root} is the root of it. */
    record Same(Sha256 root) implements UnitOutcome {}

    /** Something came out otherwise. */
    record Differs(Difference difference) implements UnitOutcome {}
}
