package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.junit.jupiter.api.Test;

class ReplayReportJsonTest {
    private static final Sha256 A = Hashing.sha256("a");
    private static final Sha256 B = Hashing.sha256("b");

    @Test
    void readsBackEveryVerdict() throws ProtocolException {
        for (ReplayReport report : List.of(reproduced(), diverged(Confirmation.Result.SAME), inconclusive())) {
            assertEquals(report, ReplayReportJson.read(ReplayReportJson.write(report)));
        }
    }

    @Test
    void spellsADifferenceAsDocumented() {
        String text = ReplayReportJson.write(diverged(Confirmation.Result.SAME));
        assertTrue(
                text.contains("\"firstDifference\":{\"resolution\":\"operator\",\"step\":17,\"phase\":\"emit\","
                        + "\"worker\":2,\"operator\":\"emit\",\"tensor\":\"transformer.wte.weight\"}"),
                text);
        assertTrue(text.contains("\"seconds\":1.500,\"tokensPerSecond\":2048.0"), text);
    }

    @Test
    void refusesAnyOtherSpellingAndUnknownKeys() {
        String text = ReplayReportJson.write(reproduced());
        for (String other : List.of(
                text.replace("\"seconds\":1.500", "\"seconds\":1.5"),
                text.replace("\"seconds\":1.500", "\"seconds\":9.500"),
                text.replace("\"unit\":", "\"unit\": "),
                text.replace("\"unit\":", "\"extra\":1,\"unit\":"),
                text.replace("STEP(17)", "STEP(017)"),
                text.replace("REPRODUCED", "PASSED"),
                text.replace("\"tokens\":3072,", ""),
                text.replace("F32-C512 v1", ""))) {
            assertThrows(ProtocolException.class, () -> ReplayReportJson.read(other), other);
        }
    }

    @Test
    void cannotAccuseWithoutASecondBackendOrPassWithADifference() {
        assertThrows(IllegalArgumentException.class, () -> diverged(Confirmation.Result.OTHER));
        String text = ReplayReportJson.write(diverged(Confirmation.Result.SAME));
        assertThrows(ProtocolException.class, () -> ReplayReportJson.read(text.replace("DIVERGED", "REPRODUCED")));
        String equalRoots = ReplayReportJson.write(reproduced());
        assertThrows(
                ProtocolException.class,
                () -> ReplayReportJson.read(
                        equalRoots.replaceFirst("\"computedRoot\":\"....", "\"computedRoot\":\"0000")));
        String silent = ReplayReportJson.write(inconclusive());
        assertThrows(
                ProtocolException.class,
                () -> ReplayReportJson.read(silent.replace("\"reason\":\"store damaged\",", "")));
    }

    private static ReplayReport reproduced() {
        return report(
                Verdict.REPRODUCED,
                Optional.of(EvidenceGrade.PROVEN),
                A,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static ReplayReport diverged(Confirmation.Result confirmed) {
        FirstDifference difference = FirstDifference.at(Resolution.OPERATOR)
                .step(new StepIndex(17))
                .phase(Phase.EMIT)
                .worker(new WorkerId(2))
                .operator("emit")
                .tensor("transformer.wte.weight")
                .build();
        return report(
                Verdict.DIVERGED,
                Optional.of(EvidenceGrade.PROVEN),
                B,
                Optional.of(new Confirmation("reference", confirmed)),
                Optional.of(difference),
                Optional.empty());
    }

    private static ReplayReport inconclusive() {
        return report(
                Verdict.INCONCLUSIVE,
                Optional.empty(),
                B,
                Optional.empty(),
                Optional.empty(),
                Optional.of("store damaged"));
    }

    private static ReplayReport report(
            Verdict verdict,
            Optional<EvidenceGrade> grade,
            Sha256 computed,
            Optional<Confirmation> confirmed,
            Optional<FirstDifference> difference,
            Optional<String> reason) {
        return new ReplayReport(
                AuditUnit.parse("STEP(17)"),
                verdict,
                grade,
                "vector",
                ProfileId.F32_C512,
                confirmed,
                A,
                computed,
                difference,
                reason,
                new ReplayProof(ReplayProof.Kind.WORK, B, 12),
                A,
                B,
                Instant.parse("2026-01-02T03:04:05Z"),
                Instant.parse("2026-01-02T03:04:06.500Z"),
                7,
                3072,
                Duration.ofMillis(1500));
    }
}
