package org.bitwitness.attestation.verify;

import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotation, revocation and enrolment, by the order of a log's entries. */
class KeyRegistryTest {
    private static final SigningKey REGISTRAR = key(41);
    private static final SigningKey NEXT = key(42);

    private final Commitment open = Samples.open("a", BeaconMode.WITNESS_VRF);
    private final Commitment last = Samples.last(open, 60);
    private AuditWorld world;
    private Optional<LogReceipt> committed = Optional.empty();

    @TempDir
    Path folder;

    @BeforeEach
    void openALog() throws Exception {
        Path registrars = folder.resolve("trust/registrars");
        Files.createDirectories(registrars);
        Files.writeString(
                registrars.resolve("board.pem"), REGISTRAR.verifyingKey().pem());
        world = new AuditWorld(folder);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void aVerdictBeforeTheRevocationCountsAndOneAfterItDoesNot() throws Exception {
        logTheRun();
        OptionalLong challenge = challenge(AuditWorld.ALICE);
        List<AuditUnit> units = drawn(AuditWorld.ALICE).units();
        verdict(AuditWorld.ALICE, challenge, units.getFirst(), Verdict.REPRODUCED);
        revoke(AuditWorld.ALICE, AuditWorld.ALICE);
        verdict(AuditWorld.ALICE, challenge, units.getLast(), Verdict.REPRODUCED);
        RunEvidence evidence = evidence();
        assertEquals(Set.of(units.getFirst()), evidence.reproducedUnits());
        assertEquals(
                Optional.of("its key was revoked at log entry 4 (stolen)"),
                evidence.verdicts().getLast().fault());
        String summary = String.join(
                "\n", RunSummary.of(evidence, world.survey().log().checkpoint()).notProven());
        assertTrue(summary.contains("its key was revoked at log entry 4 (stolen)"), summary);
    }

    @Test
    void aStolenKeyCannotAccuseOnceItIsRevokedButWhatItFoundBeforeStays() throws Exception {
        logTheRun();
        verdict(AuditWorld.ALICE, OptionalLong.empty(), AuditUnit.parse("STEP(3)"), Verdict.DIVERGED);
        revoke(AuditWorld.ALICE, REGISTRAR);
        verdict(AuditWorld.ALICE, OptionalLong.empty(), AuditUnit.parse("STEP(4)"), Verdict.DIVERGED);
        assertEquals(1, evidence().failures().size());
        assertEquals(
                AuditUnit.parse("STEP(3)"), evidence().failures().getFirst().unit());
    }

    @Test
    void nobodyElseCanRevokeAKey() throws Exception {
        logTheRun();
        revoke(AuditWorld.ALICE, AuditWorld.BOB);
        revoke(AuditWorld.ALICE, AuditWorld.STRANGER);
        audit(AuditWorld.ALICE);
        assertEquals(2, world.survey().registry().ignored().size());
        assertFalse(evidence().reproducedUnits().isEmpty());
    }

    @Test
    void aSuccessorTakesNameAndTrustForLaterCommitmentsAndCountsOnceWithTheOldKey() throws Exception {
        logTheRun();
        audit(AuditWorld.ALICE);
        rotate(AuditWorld.ALICE, NEXT, AuditWorld.ALICE);
        Commitment other = Samples.last(Samples.open("b", BeaconMode.WITNESS_VRF), 60);
        world.commit(Samples.open("b", BeaconMode.WITNESS_VRF));
        LogReceipt later = world.commit(other);
        AuditChallengeStatement draw = world.draw(Samples.open("b", BeaconMode.WITNESS_VRF), other, later, NEXT);
        OptionalLong challenge =
                OptionalLong.of(world.append(draw.toStatement(), NEXT).index());
        for (AuditUnit unit : draw.units()) {
            world.append(
                    AuditWorld.verdict(other, later, challenge, AuditWorld.report(unit, Verdict.REPRODUCED))
                            .toStatement(),
                    NEXT);
        }
        RunEvidence evidence = RunEvidence.of(world.survey(), other.runId());
        assertEquals(Set.copyOf(draw.units()), evidence.reproducedUnits());
        assertEquals(Optional.of("alice"), evidence.verdicts().getFirst().auditor());
        assertEquals(
                Optional.empty(),
                world.survey().registry().auditorName(AuditWorld.ALICE.verifyingKey(), later.index()));
    }

    @Test
    void aTrainersSuccessorOpensRunsThatCanBeAudited() throws Exception {
        rotate(AuditWorld.TRAINER, NEXT, AuditWorld.TRAINER);
        Commitment opened = Samples.open("successor", BeaconMode.WITNESS_VRF, NEXT);
        Commitment finished = Samples.last(opened, 60);
        world.append(new TrainingCommitmentStatement(opened).toStatement(), NEXT);
        LogReceipt at = world.append(new TrainingCommitmentStatement(finished).toStatement(), NEXT);
        AuditChallengeStatement draw = world.draw(opened, finished, at, AuditWorld.ALICE);
        world.append(draw.toStatement(), AuditWorld.ALICE);
        RunEvidence evidence = RunEvidence.of(world.survey(), finished.runId());
        assertEquals(Optional.of("acme"), evidence.trainer());
        assertEquals(Optional.empty(), evidence.challenges().getFirst().fault());
    }

    @Test
    void enrolmentClosesAtTheCommitmentSoNewKeysCannotLookForASuitableDraw() throws Exception {
        logTheRun();
        enrol("carol", AuditWorld.STRANGER, REGISTRAR);
        rotate(AuditWorld.ALICE, NEXT, AuditWorld.ALICE);
        audit(AuditWorld.STRANGER);
        audit(NEXT);
        RunEvidence evidence = evidence();
        assertEquals(Set.of(), evidence.reproducedUnits());
        for (ChallengeFinding finding : evidence.challenges()) {
            assertTrue(finding.auditor().isPresent());
            assertTrue(finding.fault().orElseThrow().contains("enrolment closes at the commitment"), finding::toString);
        }
    }

    @Test
    void anAuditorEnrolledBeforeTheCommitmentCounts() throws Exception {
        enrol("carol", AuditWorld.STRANGER, REGISTRAR);
        enrol("dave", key(43), AuditWorld.ALICE);
        logTheRun();
        audit(AuditWorld.STRANGER);
        audit(key(43));
        RunEvidence evidence = evidence();
        assertEquals(
                List.of(Optional.of("carol"), Optional.empty()),
                evidence.challenges().stream().map(ChallengeFinding::auditor).toList());
        assertEquals(Set.copyOf(drawn(AuditWorld.STRANGER).units()), evidence.reproducedUnits());
    }

    @Test
    void refusesToEnrolOneKeyOrNameTwiceAndToHandOverToAKnownKey() throws Exception {
        enrol("bob", AuditWorld.STRANGER, REGISTRAR);
        enrol("bobby", AuditWorld.BOB, REGISTRAR);
        rotate(AuditWorld.ALICE, AuditWorld.BOB, AuditWorld.ALICE);
        assertEquals(3, world.survey().registry().ignored().size());
        assertTrue(world.survey()
                .registry()
                .auditorName(AuditWorld.ALICE.verifyingKey(), 99)
                .isPresent());
    }

    @Test
    void aRunBelongsToTheKeyThatOpenedItAndEndsWithIt() throws Exception {
        world.commit(open);
        revoke(AuditWorld.TRAINER, AuditWorld.TRAINER);
        world.commit(last);
        RunEvidence evidence = evidence();
        assertEquals(1, evidence.chain().commitments().size(), "the commitment after the revocation is not there");
        assertEquals(Optional.of("acme"), evidence.trainer());
        Commitment late = Samples.open("late", BeaconMode.WITNESS_VRF);
        world.commit(late);
        assertThrows(AttestationException.class, () -> RunEvidence.of(world.survey(), late.runId()));
    }

    @Test
    void isInconclusiveWhenATrustedKeysEventCannotBeRead() throws Exception {
        logTheRun();
        Statement good = new KeyEventStatement(new KeyEventStatement.Revoke(AuditWorld.ALICE.verifyingKey(), "stolen"))
                .toStatement();
        Json.Builder more = Json.object();
        good.predicate().members().forEach(more::put);
        more.put("extra", 1);
        world.append(new Statement(good.subjects(), good.predicateType(), more.build()), AuditWorld.ALICE);
        AttestationException thrown = assertThrows(AttestationException.class, this::evidence);
        assertEquals(AttestationException.Kind.INCONCLUSIVE, thrown.kind());
    }

    @Test
    void readsTheEventsItWritesAndRefusesAHandoverThatTheSuccessorDidNotSign() throws Exception {
        KeyEventStatement.Rotate rotate = KeyEventStatement.Rotate.of(AuditWorld.ALICE.verifyingKey(), NEXT);
        for (KeyEventStatement.KeyEvent event : List.of(
                rotate,
                new KeyEventStatement.Enrol(NEXT.verifyingKey(), "carol"),
                new KeyEventStatement.Revoke(NEXT.verifyingKey(), ""))) {
            Statement statement = new KeyEventStatement(event).toStatement();
            assertEquals(
                    event,
                    KeyEventStatement.of(Statement.parse(statement.toBytes())).event());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new KeyEventStatement.Rotate(
                        AuditWorld.BOB.verifyingKey(), rotate.successor(), rotate.proofHex()));
        assertThrows(
                IllegalArgumentException.class, () -> new KeyEventStatement.Enrol(NEXT.verifyingKey(), "../carol"));
    }

    private void logTheRun() throws Exception {
        world.commit(open);
        committed = Optional.of(world.commit(last));
    }

    private RunEvidence evidence() throws Exception {
        return RunEvidence.of(world.survey(), open.runId());
    }

    private AuditChallengeStatement drawn(SigningKey auditor) throws Exception {
        return world.draw(open, last, committed.orElseThrow(), auditor);
    }

    private OptionalLong challenge(SigningKey auditor) throws Exception {
        return OptionalLong.of(
                world.append(drawn(auditor).toStatement(), auditor).index());
    }

    private void audit(SigningKey auditor) throws Exception {
        OptionalLong challenge = challenge(auditor);
        for (AuditUnit unit : drawn(auditor).units()) {
            verdict(auditor, challenge, unit, Verdict.REPRODUCED);
        }
    }

    private void verdict(SigningKey auditor, OptionalLong challenge, AuditUnit unit, Verdict verdict) throws Exception {
        world.append(
                AuditWorld.verdict(last, committed.orElseThrow(), challenge, AuditWorld.report(unit, verdict))
                        .toStatement(),
                auditor);
    }

    private void revoke(SigningKey key, SigningKey signer) throws Exception {
        log(new KeyEventStatement.Revoke(key.verifyingKey(), "stolen"), signer);
    }

    private void rotate(SigningKey key, SigningKey successor, SigningKey signer) throws Exception {
        log(KeyEventStatement.Rotate.of(key.verifyingKey(), successor), signer);
    }

    private void enrol(String name, SigningKey key, SigningKey signer) throws Exception {
        log(new KeyEventStatement.Enrol(key.verifyingKey(), name), signer);
    }

    private void log(KeyEventStatement.KeyEvent event, SigningKey signer) throws Exception {
        world.append(new KeyEventStatement(event).toStatement(), signer);
    }
}
