package org.bitwitness.attestation.statement;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * The companion of a verdict for other people's policy engines: a SLSA verification summary v1 that says PASSED or
 * FAILED about one audit unit and points at the verdict by its digest. An INCONCLUSIVE verdict has none.
 *
 * @param result {@code PASSED} or {@code FAILED}
 * @param resource what it is about
 * @param verdicts SHA-256 of each statement that it rests on
 * @see <a href="https://slsa.dev/spec/v1.0/verification_summary">SLSA VSA</a>
 */
public record VerificationSummary(String result, String resource, List<Sha256> verdicts) {
    private static final String PASSED = "PASSED";
    private static final String FAILED = "FAILED";
    private static final int MAX_INPUTS = 1000;

    /** What PASSED means here: one unit's bits were reproduced. It is no SLSA build level. */
    public static final String LEVEL = "BITWITNESS_UNIT_REPRODUCED";

    public VerificationSummary {
        verdicts = List.copyOf(verdicts);
    }

    public boolean passed() {
        return result.equals(PASSED);
    }

    /**
     * Reads anybody's summary. Fields that are not needed here are left to those who know them.
     *
     * @throws AttestationException malformed, or no verification summary
     */
    public static VerificationSummary read(Statement statement) throws AttestationException {
        if (!statement.predicateType().equals(PredicateType.VERIFICATION_SUMMARY)) {
            throw AttestationException.refused("expected predicate type %s, found %s"
                    .formatted(PredicateType.VERIFICATION_SUMMARY, statement.predicateType()));
        }
        try {
            JsonFields in = JsonFields.of("predicate", statement.predicate());
            List<Sha256> verdicts = new ArrayList<>();
            if (in.has("inputAttestations")) {
                for (JsonFields input : in.objects("inputAttestations", MAX_INPUTS)) {
                    verdicts.add(input.object("digest").digest("sha256"));
                }
            }
            return new VerificationSummary(
                    in.word("verificationResult", List.of(PASSED, FAILED)), in.text("resourceUri"), verdicts);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    /**
     * The summary of a verdict.
     *
     * @param verdictPayload SHA-256 of the verdict's statement
     * @return empty for INCONCLUSIVE
     */
    public static Optional<Statement> of(AuditVerdictStatement verdict, Sha256 verdictPayload, VerifyingKey auditor) {
        return switch (verdict.report().verdict()) {
            case REPRODUCED -> Optional.of(summary(verdict, verdictPayload, auditor, PASSED));
            case DIVERGED -> Optional.of(summary(verdict, verdictPayload, auditor, FAILED));
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
                .put("verifiedLevels", Json.texts(List.of(passed ? LEVEL : FAILED)))
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
