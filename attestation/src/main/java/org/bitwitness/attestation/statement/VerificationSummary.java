package org.bitwitness.attestation.statement;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;

/**
 * The companion of a verdict for other people's policy engines: a SLSA verification summary v1 that says PASSED or
 * FAILED about one audit unit and points at the verdict by its digest. An INCONCLUSIVE verdict has none.
 *
 * @see <a href="https://slsa.dev/spec/v1.0/verification_summary">SLSA VSA</a>
 */
public final class VerificationSummary {
    /** What PASSED means here: one unit's bits were reproduced. It is no SLSA build level. */
    public static final String LEVEL = "BITWITNESS_UNIT_REPRODUCED";

    private VerificationSummary() {}

    /**
     * The summary of a verdict.
     *
     * @param verdictPayload SHA-256 of the verdict's statement
     * @return empty for INCONCLUSIVE
     */
    public static Optional<Statement> of(AuditVerdictStatement verdict, Sha256 verdictPayload, VerifyingKey auditor) {
        return switch (verdict.report().verdict()) {
            case REPRODUCED -> Optional.of(summary(verdict, verdictPayload, auditor, "PASSED"));
            case DIVERGED -> Optional.of(summary(verdict, verdictPayload, auditor, "FAILED"));
            case INCONCLUSIVE -> Optional.empty();
        };
    }

    private static Statement summary(
            AuditVerdictStatement verdict, Sha256 verdictPayload, VerifyingKey auditor, String result) {
        boolean passed = verdict.report().verdict() == Verdict.REPRODUCED;
        Instant finished = verdict.report().finishedOn();
        Json.Obj predicate = Json.object()
                .put(
                        "inputAttestations",
                        new Json.Arr(List.of(Json.object()
                                .put(
                                        "digest",
                                        Json.object()
                                                .put("sha256", verdictPayload.hex())
                                                .build())
                                .build())))
                .put(
                        "policy",
                        Json.object().put("uri", PredicateType.AUDIT_VERDICT).build())
                .put(
                        "resourceUri",
                        "urn:bitwitness:run:" + verdict.basis().runId().hex() + ":unit:"
                                + verdict.report().unit().text())
                .put("slsaVersion", "1.0")
                .put("timeVerified", finished.toString())
                .put("verificationResult", result)
                .put("verifiedLevels", Json.texts(List.of(passed ? LEVEL : "FAILED")))
                .put(
                        "verifier",
                        Json.object()
                                .put(
                                        "id",
                                        "urn:bitwitness:auditor:" + auditor.id().hex())
                                .build())
                .build();
        return new Statement(verdict.toStatement().subjects(), PredicateType.VERIFICATION_SUMMARY, predicate);
    }
}
