package org.bitwitness.attestation.verify;

import static org.bitwitness.attestation.verify.AuditWorld.ALICE;
import static org.bitwitness.attestation.verify.AuditWorld.BOB;
import static org.bitwitness.attestation.verify.AuditWorld.STRANGER;
import static org.bitwitness.attestation.verify.AuditWorld.TRAINER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.attestation.challenge.ChallengeDraw;
import org.bitwitness.attestation.challenge.LoggedCommitment;
import org.bitwitness.attestation.drand.OwnDrand;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Auditors of a run in mode drand who wait for a draw that suits them. */
class FirstDrawsTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.DRAND);
    private static final Commitment LAST = Samples.last(OPEN, 1000);

    @TempDir
    Path folder;

    private AuditWorld world;
    private LogReceipt committed;

    @BeforeEach
    void logARun() throws Exception {
        Path drand = Files.createDirectories(folder.resolve("trust/drand"));
        Files.writeString(drand.resolve("own.json"), OwnDrand.info());
        world = new AuditWorld(folder);
        world.commit(OPEN);
        committed = world.commit(LAST);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private AuditChallengeStatement draw(LogReceipt receipt, SigningKey auditor) throws Exception {
        DsseEnvelope envelope =
                new TrainingCommitmentStatement(LAST).toStatement().sign(TRAINER);
        return ChallengeDraw.draw(
                LoggedCommitment.verify(envelope, receipt, world.trust()),
                OPEN,
                auditor,
                world.trust(),
                (chain, round) -> OwnDrand.sign(round));
    }

    private void log(AuditChallengeStatement challenge, SigningKey auditor) throws Exception {
        world.append(challenge.toStatement(), auditor);
    }

    private List<Boolean> counting() throws Exception {
        return RunEvidence.of(world.survey(), LAST.runId()).challenges().stream()
                .map(ChallengeFinding::counts)
                .toList();
    }

    @Test
    void aDrawFromALaterTreeCountsNoMoreOnceAnotherAuditorDrewFromTheFirst() throws Exception {
        world.append(Samples.challenge(LAST, Samples.witnessBeacon(), STRANGER).toStatement(), STRANGER);
        AuditChallengeStatement waited = draw(world.receiptNow(committed.index()), ALICE);
        assertNotEquals(draw(committed, ALICE).units(), waited.units(), "so waiting is worth something");
        log(waited, ALICE);
        assertEquals(List.of(false, true), counting(), "nobody can know yet");
        log(draw(committed, BOB), BOB);
        assertEquals(List.of(false, false, true), counting());
        String fault = RunEvidence.of(world.survey(), LAST.runId())
                .challenges()
                .get(1)
                .fault()
                .orElseThrow();
        assertTrue(fault.contains("than the challenge at entry 4"), fault);
    }

    @Test
    void aDrawFromALaterCosignatureOfTheSameTreeCountsNoMoreEither() throws Exception {
        LogReceipt again = world.cosignedAgain(committed, AuditWorld.START.plusSeconds(60));
        log(draw(committed, BOB), BOB);
        log(draw(again, ALICE), ALICE);
        assertEquals(List.of(true, false), counting());
    }

    @Test
    void honestAuditorsDrawFromTheSamePlaceAndAllCount() throws Exception {
        log(draw(committed, ALICE), ALICE);
        log(draw(committed, BOB), BOB);
        assertEquals(List.of(true, true), counting());
    }
}
