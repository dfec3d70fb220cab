package org.bitwitness.attestation.verify;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.bitwitness.attestation.verify.AuditWorld.ALICE;
import static org.bitwitness.attestation.verify.AuditWorld.BOB;
import static org.bitwitness.attestation.verify.AuditWorld.STRANGER;
import static org.bitwitness.attestation.verify.AuditWorld.TRAINER;
import static org.bitwitness.attestation.verify.AuditWorld.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.audit.AssuranceLevel;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One honest run that is audited, and a twin of it for each lie. */
class RunEvidenceTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 10);

    @TempDir
    Path folder;

    private AuditWorld world;
    private LogReceipt receipt;

    @BeforeEach
    void logTheRun() throws Exception {
        world = new AuditWorld(folder);
        world.commit(OPEN);
        receipt = world.commit(LAST);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void findsAnAuditedRunByItsModelFile() throws Exception {
        audit(ALICE, Verdict.REPRODUCED);
        audit(BOB, Verdict.REPRODUCED);
        LogSurvey survey = world.survey();
        assertEquals(Set.of(LAST.runId()), survey.runsAbout(Hashing.sha256(Samples.MODEL)));
        assertEquals(Set.of(), survey.runsAbout(Hashing.sha256("another file")));
        RunEvidence evidence = RunEvidence.of(survey, LAST.runId());
        assertEquals(Optional.of("acme"), evidence.trainer());
        assertEquals(AssuranceLevel.BW3, evidence.level());
        assertEquals(List.of(), evidence.failures());
        assertEquals(List.of(), evidence.unanswered());
        assertEquals(12, evidence.population().size());
        assertTrue(
                evidence.reproducedUnits().size() >= 2,
                () -> evidence.reproducedUnits().toString());
        long steps = evidence.reproducedUnits().stream()
                .filter(unit -> unit instanceof AuditUnit.Step)
                .count();
        assertEquals(steps, evidence.coverage().coveredSteps());
        assertEquals(evidence.reproducedUnits().size() / 12.0, evidence.detectionPower(1), 1e-12);
        assertTrue(evidence.verdicts().stream().allMatch(v -> v.choice() == VerdictFinding.Choice.DRAWN));
    }

    @Test
    void countsAnUnauditedRunAsRecordedOnly() throws Exception {
        RunEvidence evidence = evidence();
        assertEquals(AssuranceLevel.BW0, evidence.level());
        assertEquals(0, evidence.coverage().coveredSteps());
        assertEquals(0.0, evidence.detectionPower(1));
    }

    @Test
    void keepsAFailedVerdictForEverAndCapsTheLevel() throws Exception {
        audit(ALICE, Verdict.REPRODUCED);
        verdict(BOB, OptionalLong.empty(), "STEP(3)", Verdict.DIVERGED);
        verdict(BOB, OptionalLong.empty(), "STEP(3)", Verdict.REPRODUCED);
        RunEvidence evidence = evidence();
        assertEquals(1, evidence.failures().size());
        assertEquals(VerdictFinding.Choice.SPOT, evidence.failures().getFirst().choice());
        assertEquals(AssuranceLevel.BW1, evidence.level());
    }

    @Test
    void countsSpotChecksAndStrangersInNoCoverage() throws Exception {
        verdict(ALICE, OptionalLong.empty(), "STEP(3)", Verdict.REPRODUCED);
        audit(STRANGER, Verdict.REPRODUCED);
        verdict(STRANGER, OptionalLong.empty(), "STEP(4)", Verdict.DIVERGED);
        RunEvidence evidence = evidence();
        assertEquals(Set.of(), evidence.reproducedUnits());
        assertEquals(List.of(), evidence.failures());
        assertEquals(AssuranceLevel.BW0, evidence.level());
        assertEquals(4, evidence.verdicts().size(), "all are shown");
    }

    @Test
    void seesUnitsThatWereChosenNotDrawn() throws Exception {
        AuditChallengeStatement honest = world.draw(OPEN, LAST, receipt, ALICE);
        List<AuditUnit> wanted = new ArrayList<>(honest.units());
        AuditUnit other = AuditUnit.parse("STEP(5)");
        wanted.set(0, wanted.contains(other) ? AuditUnit.parse("STEP(6)") : other);
        LogReceipt challenge = world.append(
                new AuditChallengeStatement(honest.target(), honest.position(), honest.beacon(), honest.proof(), wanted)
                        .toStatement(),
                ALICE);
        verdict(ALICE, OptionalLong.of(challenge.index()), wanted.getFirst().text(), Verdict.REPRODUCED);
        RunEvidence evidence = evidence();
        assertTrue(evidence.challenges().getFirst().fault().orElseThrow().contains("the draw gives units"));
        assertEquals(
                VerdictFinding.Choice.CLAIMED, evidence.verdicts().getFirst().choice());
        assertEquals(Set.of(), evidence.reproducedUnits());
    }

    @Test
    void refusesAChallengeOnATreeThatTheLogNeverHad() throws Exception {
        LogPosition right = AuditWorld.position(receipt);
        LogPosition invented =
                new LogPosition(right.origin(), right.treeSize(), Samples.digest("x"), 1, right.leafHash());
        AuditChallengeStatement challenge = world.draw(OPEN, LAST, invented, ALICE);
        world.append(challenge.toStatement(), ALICE);
        assertTrue(evidence()
                .challenges()
                .getFirst()
                .fault()
                .orElseThrow()
                .contains("this log's first 2 entries have root"));
    }

    @Test
    void neverLiftsARunWithoutABeaconAboveRecorded() throws Exception {
        Commitment open = Samples.open("b", BeaconMode.VRF_ONLY);
        Commitment last = Samples.last(open, 10);
        world.commit(open);
        LogReceipt at = world.commit(last);
        AuditChallengeStatement challenge = world.draw(open, last, at, ALICE);
        LogReceipt challenged = world.append(challenge.toStatement(), ALICE);
        for (AuditUnit unit : challenge.units()) {
            world.append(
                    AuditWorld.verdict(last, at, OptionalLong.of(challenged.index()), report(unit, Verdict.REPRODUCED))
                            .toStatement(),
                    ALICE);
        }
        RunEvidence evidence = RunEvidence.of(world.survey(), last.runId());
        assertEquals(2, evidence.reproducedUnits().size());
        assertEquals(AssuranceLevel.BW0, evidence.level());
        assertEquals(List.of(OPEN.runId()), evidence.siblings(), "the trainer's other run on that dataset is shown");
    }

    @Test
    void listsDrawnUnitsThatWereNeverAnswered() throws Exception {
        AuditChallengeStatement challenge = world.draw(OPEN, LAST, receipt, ALICE);
        LogReceipt challenged = world.append(challenge.toStatement(), ALICE);
        verdict(
                ALICE,
                OptionalLong.of(challenged.index()),
                challenge.units().getFirst().text(),
                Verdict.REPRODUCED);
        List<String> unanswered = evidence().unanswered();
        assertEquals(1, unanswered.size());
        assertTrue(unanswered.getFirst().startsWith(challenge.units().get(1).text()), unanswered.toString());
    }

    @Test
    void isInconclusiveWhenAPayloadIsMissingAndNamesTheEntry() throws Exception {
        audit(ALICE, Verdict.REPRODUCED);
        AuditVerdictStatement failed = AuditWorld.verdict(
                LAST, receipt, OptionalLong.empty(), report(AuditUnit.parse("STEP(3)"), Verdict.DIVERGED));
        LogReceipt at = world.append(failed.toStatement(), BOB);
        assertEquals(1, evidence().failures().size());
        Path payload = world.logFolder.resolve(
                "payload/" + Hashing.sha256(failed.toStatement().toBytes()).hex());
        Files.delete(payload);
        AttestationException e = assertRefused("entry " + at.index(), this::evidence);
        assertEquals(AttestationException.Kind.INCONCLUSIVE, e.kind());
        Files.writeString(payload, "{}");
        assertEquals(
                AttestationException.Kind.REFUSED,
                assertRefused("was changed", this::evidence).kind());
    }

    @Test
    void isInconclusiveWhenAnAcceptedAuditorsStatementCannotBeRead() throws Exception {
        audit(ALICE, Verdict.REPRODUCED);
        Statement later = new Statement(
                world.draw(OPEN, LAST, receipt, ALICE).toStatement().subjects(),
                PredicateType.PREFIX + "audit-verdict/v9",
                Json.object().put("verdict", "DIVERGED").build());
        world.append(later, STRANGER);
        evidence();
        world.append(later, BOB);
        AttestationException e = assertRefused("not known to this version", this::evidence);
        assertEquals(AttestationException.Kind.INCONCLUSIVE, e.kind());
    }

    @Test
    void ignoresACopyOfSomebodysOpenAndForeignCommitments() throws Exception {
        SigningKey thief = key(99);
        world.append(new TrainingCommitmentStatement(OPEN).toStatement(), thief);
        world.append(new TrainingCommitmentStatement(Samples.last(OPEN, 11)).toStatement(), thief);
        RunEvidence evidence = evidence();
        assertEquals(2, evidence.chain().commitments().size());
        assertEquals(TRAINER.verifyingKey(), evidence.chain().trainer());
    }

    @Test
    void refusesTwoStories() throws Exception {
        world.commit(Samples.last(OPEN, 11));
        AttestationException e = assertRefused("two stories", this::evidence);
        assertEquals(AttestationException.Kind.REFUSED, e.kind());
    }

    @Test
    void refusesARunWhoseOpenWasLoggedLate() throws Exception {
        Commitment open = Samples.open("late", BeaconMode.WITNESS_VRF);
        Commitment last = Samples.last(open, 10);
        world.commit(last);
        assertRefused("expected an OPEN", () -> RunEvidence.of(world.survey(), last.runId()));
        world.commit(open);
        assertRefused("should come after commitment 0", () -> RunEvidence.of(world.survey(), last.runId()));
    }

    @Test
    void doesNotCountAVerdictOnAnotherCommitmentButStillFailsOnIt() throws Exception {
        Commitment other = Samples.last(OPEN, 11);
        world.append(
                AuditWorld.verdict(
                                other,
                                receipt,
                                OptionalLong.empty(),
                                report(AuditUnit.parse("STEP(3)"), Verdict.DIVERGED))
                        .toStatement(),
                ALICE);
        RunEvidence evidence = evidence();
        assertTrue(evidence.verdicts().getFirst().fault().orElseThrow().contains("is not this run's"));
        assertEquals(1, evidence.failures().size());
    }

    private void audit(SigningKey auditor, Verdict verdict) throws Exception {
        AuditChallengeStatement challenge = world.draw(OPEN, LAST, receipt, auditor);
        LogReceipt challenged = world.append(challenge.toStatement(), auditor);
        for (AuditUnit unit : challenge.units()) {
            verdict(auditor, OptionalLong.of(challenged.index()), unit.text(), verdict);
        }
    }

    private void verdict(SigningKey auditor, OptionalLong challenge, String unit, Verdict verdict) throws Exception {
        world.append(
                AuditWorld.verdict(LAST, receipt, challenge, report(AuditUnit.parse(unit), verdict))
                        .toStatement(),
                auditor);
    }

    private RunEvidence evidence() throws AttestationException {
        return RunEvidence.of(world.survey(), LAST.runId());
    }
}
