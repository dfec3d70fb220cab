package org.bitwitness.attestation.verify;

import java.util.Optional;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Verdict;

/**
 * A verdict and what a verifier thinks of it.
 *
 * @param logged the verdict
 * @param auditor name of its signer in the trust folder; empty if the verifier does not know that key
 * @param choice how its unit was chosen, as far as that can be proven
 * @param fault why its words cannot be taken as they are; empty where nothing is wrong
 */
public record VerdictFinding(
        Logged<AuditVerdictStatement> logged, Optional<String> auditor, Choice choice, Optional<String> fault) {
    /** How a unit came to be audited. */
    public enum Choice {
        /** Drawn by a challenge that this verifier drew again. */
        DRAWN,
        /** Chosen by a person, and the verdict says so. */
        SPOT,
        /** Said to be drawn, but that does not hold. */
        CLAIMED
    }

    public AuditUnit unit() {
        return logged.statement().report().unit();
    }

    public Verdict verdict() {
        return logged.statement().report().verdict();
    }

    /** True when this verdict raises coverage: reproduced, drawn, by an accepted auditor, with nothing wrong. */
    public boolean covers() {
        return auditor.isPresent() && choice == Choice.DRAWN && fault.isEmpty() && verdict() == Verdict.REPRODUCED;
    }

    /** True when an accepted auditor found other bits. A fault in the statement does not make that go away. */
    public boolean fails() {
        return auditor.isPresent() && verdict() == Verdict.DIVERGED;
    }
}
