package org.bitwitness.cli.verify;

import java.util.Optional;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;

/** How a signer is called in sentences: by what the trust folder or the log calls it, and always by key. */
final class SignerNames {
    private SignerNames() {}

    static String of(Optional<TrustPolicy> trust, Optional<LogSurvey> survey, VerifyingKey key) {
        Optional<String> auditor =
                trust.flatMap(policy -> policy.auditorName(key)).map(name -> "auditor " + name);
        Optional<String> trainer =
                trust.flatMap(policy -> policy.trainerName(key)).map(name -> "trainer " + name);
        Optional<String> registrar =
                trust.flatMap(policy -> policy.registrarName(key)).map(name -> "registrar " + name);
        Optional<String> logged =
                survey.map(log -> log.registry().names().get(key)).map(name -> name + ", as the log's key events say");
        return "%s (key %s)"
                .formatted(
                        auditor.or(() -> trainer)
                                .or(() -> registrar)
                                .or(() -> logged)
                                .orElse("the signer"),
                        key.id());
    }
}
