package org.bitwitness.cli.verify;

import java.util.Optional;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.trust.TrustPolicy;

/** How a signer is called in sentences: by the role and name that the trust folder gives, and always by key. */
final class SignerNames {
    private SignerNames() {}

    static String of(Optional<TrustPolicy> trust, VerifyingKey key) {
        Optional<String> auditor =
                trust.flatMap(policy -> policy.auditorName(key)).map(name -> "auditor " + name);
        Optional<String> trainer =
                trust.flatMap(policy -> policy.trainerName(key)).map(name -> "trainer " + name);
        return "%s (key %s)".formatted(auditor.or(() -> trainer).orElse("the signer"), key.id());
    }
}
