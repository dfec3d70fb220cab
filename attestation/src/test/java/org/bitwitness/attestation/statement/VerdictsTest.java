package org.bitwitness.attestation.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.protocol.Verdict;
import org.junit.jupiter.api.Test;

class VerdictsTest {
    @Test
    void readsTheVerdictsItWrites() throws Exception {
        for (Verdict verdict : Verdict.values()) {
            for (OptionalLong challenge : new OptionalLong[] {OptionalLong.of(5), OptionalLong.empty()}) {
                AuditVerdictStatement statement = SchemasTest.verdict(challenge, verdict);
                DsseEnvelope envelope =
                        DsseEnvelope.parse(statement.toStatement().sign(key(2)).toBytes());
                assertEquals(statement, AuditVerdictStatement.parse(envelope.verify(key(2).verifyingKey())));
                assertEquals(challenge.isPresent(), statement.basis().drawn());
            }
        }
    }

    @Test
    void carriesTheReleasedModelAsASubject() {
        assertTrue(SchemasTest.verdict(OptionalLong.empty(), Verdict.REPRODUCED)
                .toStatement()
                .isAbout(Samples.digest("model")));
    }

    @Test
    void refusesContradictionsWithTheReason() throws Exception {
        Statement good =
                SchemasTest.verdict(OptionalLong.of(5), Verdict.REPRODUCED).toStatement();
        AuditVerdictStatement.of(good);
        assertRefused("\"drawn\" is true exactly", () -> edited(good, "\"drawn\":true", "\"drawn\":false"));
        assertRefused(
                "comes after the commitment", () -> edited(good, "\"challengeLogIndex\":5", "\"challengeLogIndex\":4"));
        assertRefused("DIVERGED needs", () -> edited(good, "REPRODUCED", "DIVERGED"));
        assertRefused("INCONCLUSIVE needs a reason", () -> edited(good, "REPRODUCED", "INCONCLUSIVE"));
        assertRefused("equal roots", () -> edited(good, "\"computedRoot\":\"", "\"computedRoot\":\"0000", 4));
        assertRefused("unknown key", () -> edited(good, "\"tokens\":", "\"token\":1,\"tokens\":"));
        assertRefused("one spelling", () -> edited(good, "\"seconds\":1.500", "\"seconds\":1.5"));
        assertRefused("verdict", () -> edited(good, "REPRODUCED", "PASSED"));
    }

    @Test
    void givesASummaryForPassedAndFailedButNoneForUndecided() throws Exception {
        var auditor = key(2).verifyingKey();
        Statement passed = VerificationSummary.of(
                        SchemasTest.verdict(OptionalLong.of(5), Verdict.REPRODUCED), Samples.digest("v"), auditor)
                .orElseThrow();
        String json = new String(passed.toBytes(), UTF_8);
        assertTrue(json.contains("\"verificationResult\":\"PASSED\""), json);
        assertTrue(json.contains(Samples.digest("v").hex()), json);
        assertTrue(json.contains(":unit:STEP(3)\""), json);
        assertEquals(passed, Statement.parse(passed.toBytes()));
        Statement failed = VerificationSummary.of(
                        SchemasTest.verdict(OptionalLong.of(5), Verdict.DIVERGED), Samples.digest("v"), auditor)
                .orElseThrow();
        assertTrue(new String(failed.toBytes(), UTF_8).contains("\"verificationResult\":\"FAILED\""));
        assertFalse(new String(failed.toBytes(), UTF_8).contains(VerificationSummary.LEVEL));
        assertEquals(
                Optional.empty(),
                VerificationSummary.of(
                        SchemasTest.verdict(OptionalLong.of(5), Verdict.INCONCLUSIVE), Samples.digest("v"), auditor));
    }

    private static void edited(Statement statement, String from, String to) throws Exception {
        edited(statement, from, to, 0);
    }

    /** @param skip characters of the old text after {@code from} that are left out */
    private static void edited(Statement statement, String from, String to, int skip) throws Exception {
        String json = new String(statement.toBytes(), UTF_8);
        int at = json.indexOf(from);
        assertTrue(at >= 0, from);
        String changed = json.substring(0, at) + to + json.substring(at + from.length() + skip);
        AuditVerdictStatement.of(Statement.parse(changed.getBytes(UTF_8)));
    }
}
