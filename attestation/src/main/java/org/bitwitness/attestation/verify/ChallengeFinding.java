package org.bitwitness.attestation.verify;

import java.util.Optional;
import org.bitwitness.attestation.statement.AuditChallengeStatement;

/**
 * A challenge and what a verifier thinks of it.
 *
 * @param logged the challenge
 * @param auditor name of its signer in the trust folder; empty if the verifier does not know that key
 * @param fault why the units were not drawn as the rule says; empty where drawing again gives the same units
 */
public record ChallengeFinding(
        Logged<AuditChallengeStatement> logged, Optional<String> auditor, Optional<String> fault) {
    /** True when the signer is accepted and the draw is right. */
    public boolean counts() {
        return auditor.isPresent() && fault.isEmpty();
    }
}
