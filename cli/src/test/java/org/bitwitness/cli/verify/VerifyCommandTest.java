package org.bitwitness.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.cli.Main;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Verdict;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyCommandTest {
    @TempDir
    Path temp;

    private PublicWorld world;

    private record Outcome(int exit, String out, String err) {}

    @BeforeEach
    void makeWorld() throws Exception {
        world = new PublicWorld(temp);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void saysWhatIsProvenAboutAnAuditedModelAndWhatIsNot() throws Exception {
        world.audit(world.alice, "alice");
        for (String target : new String[] {
            world.model.toString(),
            Hashing.sha256("weights").hex(),
            world.last.runId().hex()
        }) {
            Outcome outcome = withLog(target);
            assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
            assertTrue(outcome.out().contains("3 of 12 units audited, all reproduced"), outcome.out());
            assertTrue(outcome.out().contains("trainer acme (key "), outcome.out());
            assertTrue(outcome.out().contains("cosigned by w0, w1 (2026-01-02T03:04:05Z)"), outcome.out());
            assertTrue(outcome.out().contains("beacon witness-vrf, by alice"), outcome.out());
            assertTrue(outcome.out().contains("level BW3"), outcome.out());
            assertTrue(outcome.out().contains("1 bad unit of 12 with probability 25.0 %"), outcome.out());
            assertTrue(outcome.out().contains("anything about the 9 units that were not audited"), outcome.out());
        }
        String trust = world.trust.toString();
        Outcome json = run("verify", "--json", "--log", world.log.toString(), "--trust", trust, world.model.toString());
        assertEquals(0, json.exit());
        assertTrue(json.out().contains("\"level\" : \"BW3\""), json.out());
        assertTrue(json.out().contains("\"choice\" : \"DRAWN\""), json.out());
    }

    @Test
    void theReportSaysOnceWhatOneBadUnitIsWorthWhereThatIsATenthOfTheRun() throws Exception {
        world.audit(world.alice, "alice");
        Outcome report = run("audit", "report", "--log", world.log.toString(), "--trust", world.trust.toString());
        assertEquals(0, report.exit(), report.err());
        assertTrue(
                report.out()
                        .lines()
                        .anyMatch(line -> line.endsWith("hit a run with 1 bad unit with probability 0.2500")),
                report.out());
    }

    @Test
    void aFailedVerdictThatNobodyHandsOverIsFoundInTheLog() throws Exception {
        Path good = world.audit(world.alice, "alice");
        assertEquals(0, withLog(good.toString()).exit());
        Path bad = world.spot(world.alice, "STEP(3)", Verdict.DIVERGED, "bad");
        Files.delete(bad);
        Outcome outcome = withLog(good.toString());
        assertEquals(2, outcome.exit());
        assertTrue(outcome.out().contains("STEP(3) DIVERGED at step 3, operator accumulate"), outcome.out());
        assertEquals(2, withLog(world.model.toString()).exit());
        Outcome offline = offline(good.toString());
        assertEquals(0, offline.exit());
        assertTrue(offline.out().contains("failed verdicts elsewhere"), offline.out());
        assertFalse(offline.out().contains("coverage"), offline.out());
    }

    @Test
    void aMissingPayloadMakesEveryAnswerUndecided() throws Exception {
        Path good = world.audit(world.alice, "alice");
        world.spot(world.alice, "STEP(3)", Verdict.DIVERGED, "bad");
        try (var payloads = Files.list(world.log.resolve("payload"))) {
            for (Path payload : payloads.toList()) {
                if (Files.readString(payload).contains("DIVERGED")) {
                    Files.delete(payload);
                }
            }
        }
        for (String target : new String[] {world.model.toString(), good.toString()}) {
            Outcome outcome = withLog(target);
            assertEquals(3, outcome.exit(), outcome.out());
            assertTrue(outcome.out().contains("entry 6: payload"), outcome.out());
        }
    }

    @Test
    void anUnauditedModelAndAnUnknownFileAreUndecided() throws Exception {
        Outcome outcome = withLog(world.model.toString());
        assertEquals(3, outcome.exit());
        assertTrue(outcome.out().contains("none of 12 units audited yet"), outcome.out());
        PublicWorld.put(temp.resolve("other.bin"), "something else");
        Outcome unknown = withLog(temp.resolve("other.bin").toString());
        assertEquals(3, unknown.exit());
        assertTrue(unknown.out().contains("released by no run"), unknown.out());
    }

    @Test
    void judgesSignaturesOfStrangersOnlyWithTheirKey() throws Exception {
        Path bundle = world.spot(world.stranger, "STEP(3)", Verdict.DIVERGED, "stranger");
        Outcome refused = offline(bundle.toString());
        assertEquals(2, refused.exit());
        assertTrue(refused.out().contains("which neither the trust folder nor --key names"), refused.out());
        Outcome signature =
                run("verify", "--key", world.publicKey(world.stranger).toString(), bundle.toString());
        assertEquals(2, signature.exit(), "DIVERGED is never a pass");
        assertTrue(signature.out().contains("that the statement is in a log: give --trust"), signature.out());
        assertTrue(signature.out().contains("a spot check"), signature.out());
        world.audit(world.alice, "alice");
        Outcome model = withLog(world.model.toString());
        assertEquals(0, model.exit(), "a stranger's verdict decides nothing");
        assertTrue(model.out().contains("STEP(3) DIVERGED (entry 2) by a key you do not accept"), model.out());
    }

    @Test
    void refusesChangedBundlesWithTheReason() throws Exception {
        Path bundle = world.audit(world.alice, "alice");
        String good = Files.readString(bundle);
        assertEquals(0, offline(bundle.toString()).exit());
        Files.writeString(bundle, good.replaceFirst("\"payload\":\"eyJ", "\"payload\":\"eyK"));
        Outcome changed = offline(bundle.toString());
        assertEquals(2, changed.exit());
        assertTrue(changed.out().contains("bytes were changed"), changed.out());
        Files.writeString(bundle, good.replace("\"logIndex\":\"5\"", "\"logIndex\":\"4\""));
        assertEquals(2, offline(bundle.toString()).exit());
        Files.writeString(bundle, good + good);
        assertEquals(2, offline(bundle.toString()).exit());
    }

    @Test
    void verifiesASignedModelFolderAndNamesAChangedFile() throws Exception {
        Outcome signed = offline(world.released.toString());
        assertEquals(0, signed.exit(), signed.out());
        assertTrue(signed.out().contains("every file is as trainer acme"), signed.out());
        world.audit(world.alice, "alice");
        assertTrue(withLog(world.released.toString()).out().contains("3 of 12 units audited"));
        PublicWorld.put(world.model, "weightS");
        Outcome changed = offline(world.released.toString());
        assertEquals(2, changed.exit());
        assertTrue(changed.out().contains("model.safetensors: expected SHA-256"), changed.out());
    }

    @Test
    void severalTargetsGiveTheWorstExitCode() throws Exception {
        Path good = world.audit(world.alice, "alice");
        PublicWorld.put(temp.resolve("other.bin"), "something else");
        Outcome outcome = run(
                "verify",
                "--log",
                world.log.toString(),
                "--trust",
                world.trust.toString(),
                good.toString(),
                temp.resolve("other.bin").toString());
        assertEquals(3, outcome.exit());
    }

    @Test
    void whatStrangersClaimAboutAFileTakesNoAnswerAway() throws Exception {
        world.audit(world.alice, "alice");
        String honest = withLog(world.model.toString()).out();
        world.claimTwice(world.stranger);
        Outcome claimed = withLog(world.model.toString());
        assertEquals(0, claimed.exit(), claimed.out());
        assertEquals(honest.lines().count(), claimed.out().lines().count());
        Outcome report = run("audit", "report", "--log", world.log.toString(), "--trust", world.trust.toString());
        assertEquals(0, report.exit(), report.out());
        assertTrue(report.out().contains("told two stories"), report.out());
        Files.delete(world.trust.resolve("trainers/acme.pem"));
        Files.delete(world.trust.resolve("auditors/alice.pem"));
        assertEquals(3, withLog(world.model.toString()).exit());
        world.claimTwice(world.trainer);
        PublicWorld.put(
                world.trust.resolve("trainers/acme.pem"),
                world.trainer.verifyingKey().pem());
        assertEquals(2, withLog(world.model.toString()).exit(), "an accepted trainer that tells two stories");
    }

    @Test
    void saysWhatAKeyEventDoesAndWhetherItCounts() throws Exception {
        Path enrolled = world.bundle(
                new KeyEventStatement(new KeyEventStatement.Enrol(world.stranger.verifyingKey(), "carol"))
                        .toStatement(),
                world.alice,
                "enrol");
        Outcome offline = offline(enrolled.toString());
        assertEquals(0, offline.exit(), offline.out());
        assertTrue(offline.out().contains("is enrolled as auditor carol"), offline.out());
        assertTrue(offline.out().contains("that the event has an effect"), offline.out());
        Outcome ignored = withLog(enrolled.toString());
        assertEquals(3, ignored.exit(), ignored.out());
        assertTrue(ignored.out().contains("without effect, its signer is no registrar"), ignored.out());
        Path revoked = world.bundle(
                new KeyEventStatement(new KeyEventStatement.Revoke(world.alice.verifyingKey(), "stolen")).toStatement(),
                world.alice,
                "revoke");
        Outcome counts = withLog(revoked.toString());
        assertEquals(0, counts.exit(), counts.out());
        assertTrue(counts.out().contains("is revoked (stolen)"), counts.out());
        assertTrue(counts.out().contains("it counts from entry 3 of the log on"), counts.out());
    }

    @Test
    void aRevokedKeySignsNothingMoreThatIsNotInTheLog() throws Exception {
        Path unlogged = world.unlogged(world.alice, "STEP(3)");
        Outcome before = withLog(unlogged.toString());
        assertEquals(3, before.exit(), before.out());
        world.append(
                new KeyEventStatement(new KeyEventStatement.Revoke(world.alice.verifyingKey(), "stolen")).toStatement(),
                world.alice);
        Outcome revoked = withLog(unlogged.toString());
        assertEquals(2, revoked.exit(), revoked.out());
        assertTrue(revoked.out().contains("nobody can say that it was signed before"), revoked.out());
    }

    @Test
    void aSummaryThatSaysFailedIsNoPass() throws Exception {
        for (Verdict verdict : new Verdict[] {Verdict.REPRODUCED, Verdict.DIVERGED}) {
            Outcome outcome = offline(world.summary(world.alice, verdict).toString());
            boolean passed = verdict == Verdict.REPRODUCED;
            assertEquals(passed ? 0 : 2, outcome.exit(), outcome.out());
            assertTrue(outcome.out().contains("verification summary " + (passed ? "PASSED" : "FAILED")), outcome.out());
            assertTrue(outcome.out().contains(":unit:STEP(3)"), outcome.out());
        }
    }

    @Test
    void wrongUsageExitsWith1() {
        assertTrue(run("verify", world.model.toString()).err().contains("give --trust DIR"));
        assertEquals(1, run("verify", world.model.toString()).exit());
        Outcome noLog = offline(world.model.toString());
        assertEquals(1, noLog.exit());
        assertTrue(noLog.err().contains("give --log"), noLog.err());
        assertEquals(1, offline(temp.resolve("missing").toString()).exit());
        assertEquals(
                1,
                run("verify", "--trust", temp.resolve("none").toString(), "x").exit());
        assertEquals(
                1,
                run(
                                "verify",
                                "--trust",
                                world.trust.toString(),
                                "--log",
                                temp.resolve("none").toString(),
                                "x")
                        .exit());
    }

    private Outcome withLog(String target) {
        return run("verify", "--log", world.log.toString(), "--trust", world.trust.toString(), target);
    }

    private Outcome offline(String target) {
        return run("verify", "--trust", world.trust.toString(), target);
    }

    private static Outcome run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
