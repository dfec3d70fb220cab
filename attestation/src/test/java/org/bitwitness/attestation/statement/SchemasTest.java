package org.bitwitness.attestation.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.bitwitness.attestation.OtherSoftware;
import org.bitwitness.attestation.verify.AuditWorld;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** npm's {@code ajv} holds the shipped schemas against what we write, and against planted faults. */
class SchemasTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 60);

    @TempDir
    Path folder;

    @Test
    void acceptOurCommitmentsAndRefuseFaultyOnes() throws Exception {
        String open = text(new TrainingCommitmentStatement(OPEN).toStatement());
        String last = text(new TrainingCommitmentStatement(LAST).toStatement());
        check(
                "training-commitment",
                List.of(open, last),
                List.of(
                        open.replace("\"open\":", "\"opne\":"),
                        last.replace("\"final\":true", "\"final\":1"),
                        last.replace("\"endStep\":60", "\"endStep\":-1"),
                        last.replace("released/config", "../config"),
                        last.replace("v0.1", "v0.2"),
                        open.replace("witness-vrf", "coin")));
    }

    @Test
    void acceptOurChallengesAndRefuseFaultyOnes() throws Exception {
        List<String> good = new ArrayList<>();
        for (BeaconEvidence beacon : List.of(
                Samples.witnessBeacon(),
                new BeaconEvidence.Drand(1000, "b4".repeat(48), "log\n1\nroot\n"),
                new BeaconEvidence.VrfOnly())) {
            good.add(text(Samples.challenge(LAST, beacon, key(2)).toStatement()));
        }
        String first = good.getFirst();
        check(
                "audit-challenge",
                good,
                List.of(
                        first.replace("STEP(3)", "STEP(03)"),
                        first.replace("\"vrfProof\":\"", "\"vrfProof\":\"0"),
                        first.replace("\"mode\":\"witness-vrf\"", "\"mode\":\"vrf-only\""),
                        first.replace("\"treeSize\":2", "\"treeSize\":0"),
                        first.replace("\"origin\"", "\"orgin\"")));
    }

    @Test
    void acceptOurVerdictsAndRefuseFaultyOnes() throws Exception {
        List<String> good = new ArrayList<>();
        for (Verdict verdict : Verdict.values()) {
            good.add(text(verdict(OptionalLong.of(5), verdict).toStatement()));
        }
        good.add(text(verdict(OptionalLong.empty(), Verdict.DIVERGED).toStatement()));
        String reproduced = good.getFirst();
        String diverged = text(verdict(OptionalLong.of(5), Verdict.DIVERGED).toStatement());
        check(
                "audit-verdict",
                good,
                List.of(
                        reproduced.replace("REPRODUCED", "PASSED"),
                        reproduced.replace("\"drawn\":true", "\"drawn\":false"),
                        reproduced.replace("05Z\"", "05+01:00\""),
                        diverged.replace("\"grade\":\"PROVEN\",", ""),
                        diverged.replace("\"firstDifference\"", "\"difference\""),
                        text(verdict(OptionalLong.of(5), Verdict.INCONCLUSIVE).toStatement())
                                .replace("\"reason\"", "\"because\"")));
    }

    @Test
    void acceptOurKeyEventsAndRefuseFaultyOnes() throws Exception {
        String enrol =
                text(new KeyEventStatement(new KeyEventStatement.Enrol(key(2).verifyingKey(), "carol")).toStatement());
        String rotate =
                text(new KeyEventStatement(KeyEventStatement.Rotate.of(key(2).verifyingKey(), key(3))).toStatement());
        String revoke =
                text(new KeyEventStatement(new KeyEventStatement.Revoke(key(2).verifyingKey(), "lost")).toStatement());
        check(
                "key-event",
                List.of(enrol, rotate, revoke),
                List.of(
                        enrol.replace("carol", "../carol"),
                        rotate.replace("successorProof", "proof"),
                        revoke.replace("\"reason\":\"lost\"", "\"reason\":1"),
                        revoke.replace("\"revoke\"", "\"rotate\""),
                        enrol.replace("BEGIN PUBLIC", "BEGIN PRIVATE")));
    }

    @Test
    void acceptOurDrillsAndRefuseFaultyOnes() throws Exception {
        String commitment = text(new DrillCommitmentStatement(Samples.drill("a").commitment()).toStatement());
        check(
                "drill-commitment",
                List.of(commitment),
                List.of(
                        commitment.replace("\"drillCommitment\":\"", "\"drillCommitment\":\"0"),
                        commitment.replace("\"predicate\":{", "\"predicate\":{\"runId\":1,"),
                        commitment.replace("v0.1", "v0.2")));
        String opening = text(new DrillOpeningStatement(3, LAST.runId(), Samples.drill("a")).toStatement());
        check(
                "drill-opening",
                List.of(opening),
                List.of(
                        opening.replace("\"kind\":\"reduction-bit\"", "\"kind\":\"none\""),
                        opening.replace("\"bit\":3", "\"bit\":32"),
                        opening.replace("\"first\":0,", ""),
                        opening.replace("3fc00000", "1.5"),
                        opening.replace("\"salt\"", "\"slat\""),
                        opening.replace("\"commitmentLogIndex\":3", "\"commitmentLogIndex\":-3")));
    }

    static AuditVerdictStatement verdict(OptionalLong challenge, Verdict verdict) {
        return new AuditVerdictStatement(
                new AuditVerdictStatement.Basis(LAST.runId(), LAST.digest(), 4, challenge),
                AuditWorld.report(AuditUnit.parse("STEP(3)"), verdict),
                List.of(Subject.of("model.safetensors", Samples.digest("model"))));
    }

    private void check(String name, List<String> good, List<String> faulty) throws Exception {
        Path npm = OtherSoftware.npm(SchemasTest.class, List.of("package.json", "validate.mjs"));
        Path schema = folder.resolve("schema.json");
        try (var in = Statement.class.getResourceAsStream(name + "-v0.1.schema.json")) {
            Files.write(schema, Objects.requireNonNull(in, name).readAllBytes());
        }
        List<String> command = new ArrayList<>(List.of("node", "validate.mjs", schema.toString()));
        List<String> all = new ArrayList<>(good);
        all.addAll(faulty);
        for (String text : all) {
            command.add(Files.writeString(folder.resolve("document-" + command.size() + ".json"), text)
                    .toString());
        }
        assertEquals(all.size(), all.stream().distinct().count(), "each fault must change the text");
        List<String> lines = OtherSoftware.run(npm, command).output().lines().toList();
        assertEquals(all.size(), lines.size(), lines::toString);
        for (int i = 0; i < all.size(); i++) {
            assertEquals(i < good.size(), lines.get(i).equals("valid"), lines.get(i) + " for " + all.get(i));
        }
        assertTrue(lines.contains("valid"));
    }

    private static String text(Statement statement) {
        return new String(statement.toBytes(), UTF_8);
    }
}
