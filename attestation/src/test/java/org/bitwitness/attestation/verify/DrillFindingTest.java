package org.bitwitness.attestation.verify;

import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Openings that hold, and every way in which one can be forged. */
class DrillFindingTest {
    private static final SigningKey ORGANISER = key(41);
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 60);
    private static final DrillList DRILL = Samples.drill("a");

    @TempDir
    private Path folder;

    private AuditWorld world;

    @BeforeEach
    void openTheWorld() throws Exception {
        world = new AuditWorld(folder);
    }

    @AfterEach
    void closeTheWorld() throws Exception {
        world.close();
    }

    private long commit(DrillList drill, SigningKey by) throws Exception {
        return world.append(new DrillCommitmentStatement(drill.commitment()).toStatement(), by)
                .index();
    }

    private void train() throws Exception {
        world.commit(OPEN);
        world.commit(LAST);
    }

    private long open(long commitment, DrillList drill, SigningKey by) throws Exception {
        return world.append(new DrillOpeningStatement(commitment, OPEN.runId(), drill).toStatement(), by)
                .index();
    }

    private void assertRefused(String why) throws Exception {
        DrillFinding.All all = DrillFinding.all(world.survey());
        assertEquals(1, all.refused().size(), all::toString);
        assertTrue(
                all.refused().getFirst().fault().contains(why),
                () -> all.refused().getFirst().fault());
    }

    @Test
    void holdsWhereTheListWasCommittedBeforeTheRunBegan() throws Exception {
        long commitment = commit(DRILL, ORGANISER);
        train();
        long opening = open(commitment, DRILL, ORGANISER);
        DrillFinding.All all = DrillFinding.all(world.survey());
        assertEquals(List.of(), all.refused());
        DrillFinding drill = all.held().getFirst();
        assertEquals(opening, drill.opening().index());
        assertEquals(commitment, drill.commitment().index());
        assertEquals(OPEN.runId(), drill.chain().runId());
    }

    @Test
    void aRunThatIsKnownToBeADrillFailsWhateverItsAuditsSay() throws Exception {
        long commitment = commit(DRILL, AuditWorld.ALICE);
        train();
        assertEquals(List.of(), evidence().drills());
        assertEquals(Optional.empty(), evidence().drill());
        open(commitment, DRILL, AuditWorld.ALICE);
        assertEquals(
                6,
                evidence()
                        .drill()
                        .orElseThrow()
                        .finding()
                        .opening()
                        .statement()
                        .drill()
                        .faults()
                        .size());
        RunSummary summary = RunSummary.of(evidence(), world.survey().log().checkpoint());
        assertEquals(RunSummary.Outcome.FAILED, summary.outcome());
        assertTrue(summary.sentence().startsWith("a drill, 6 faults were planted"), summary.sentence());
    }

    @Test
    void aStrangersOpeningIsShownAndDecidesNothing() throws Exception {
        long commitment = commit(DRILL, AuditWorld.STRANGER);
        train();
        open(commitment, DRILL, AuditWorld.STRANGER);
        assertEquals(1, evidence().drills().size());
        assertEquals(Optional.empty(), evidence().drill());
        RunSummary summary = RunSummary.of(evidence(), world.survey().log().checkpoint());
        assertEquals(RunSummary.Outcome.UNDECIDED, summary.outcome());
        assertTrue(summary.notProven().stream().anyMatch(line -> line.contains("6 faults were planted")));
    }

    private RunEvidence evidence() throws Exception {
        return RunEvidence.of(world.survey(), OPEN.runId());
    }

    @Test
    void refusesFaultsThatWereCommittedAfterTheRunBegan() throws Exception {
        train();
        open(commit(DRILL, ORGANISER), DRILL, ORGANISER);
        assertRefused("faults must be drawn before");
    }

    @Test
    void refusesAnotherListThanWasCommitted() throws Exception {
        long commitment = commit(DRILL, ORGANISER);
        train();
        open(commitment, new DrillList(DRILL.descriptor(), DRILL.faults().subList(1, 6), DRILL.salt()), ORGANISER);
        assertRefused("commits to " + DRILL.commitment());
    }

    @Test
    void refusesAnotherSaltThanWasCommitted() throws Exception {
        long commitment = commit(DRILL, ORGANISER);
        train();
        open(commitment, new DrillList(DRILL.descriptor(), DRILL.faults(), Hashing.sha256("x")), ORGANISER);
        assertRefused("commits to");
    }

    @Test
    void refusesAnOpeningByAnotherKey() throws Exception {
        long commitment = commit(DRILL, ORGANISER);
        train();
        open(commitment, DRILL, AuditWorld.STRANGER);
        assertRefused("the opening by key");
    }

    @Test
    void refusesAnEntryThatIsNoDrillCommitment() throws Exception {
        commit(DRILL, ORGANISER);
        train();
        open(1, DRILL, ORGANISER);
        assertRefused("is no drill commitment");
    }

    @Test
    void refusesAListForAnotherDescriptor() throws Exception {
        DrillList other = Samples.drill("b");
        long commitment = commit(other, ORGANISER);
        train();
        open(commitment, other, ORGANISER);
        assertRefused("the opening is of a run with descriptor");
    }

    @Test
    void refusesARunThatIsNotInTheLog() throws Exception {
        open(commit(DRILL, ORGANISER), DRILL, ORGANISER);
        assertRefused("found none in the log");
    }

    /** One list, and two runs with its descriptor: the organiser cannot choose afterwards which of them was the drill. */
    @Test
    void countsACommitmentOnce() throws Exception {
        long commitment = commit(DRILL, ORGANISER);
        train();
        open(commitment, DRILL, ORGANISER);
        Commitment twin = Samples.open("a", BeaconMode.VRF_ONLY);
        world.commit(twin);
        world.append(new DrillOpeningStatement(commitment, twin.runId(), DRILL).toStatement(), ORGANISER);
        assertRefused("was opened before");
        assertEquals(1, DrillFinding.all(world.survey()).held().size());
    }
}
