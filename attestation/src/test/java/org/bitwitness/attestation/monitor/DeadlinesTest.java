package org.bitwitness.attestation.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.monitor.MonitorState.Waiting;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.verify.AuditWorld;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run is opened and committed in a log; its policy gives auditors one hour. */
class DeadlinesTest {
    private static final Instant SEEN = Instant.parse("2026-01-02T03:04:05Z");
    private static final Instant IN_TIME = SEEN.plus(1, ChronoUnit.HOURS);
    private static final Instant LATE = IN_TIME.plusSeconds(1);
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 10);

    @TempDir
    Path folder;

    private AuditWorld world;
    private LogReceipt receipt;
    private SortedMap<Long, Waiting> kept = new TreeMap<>();

    @BeforeEach
    void logARun() throws Exception {
        world = new AuditWorld(folder);
        world.commit(OPEN);
        receipt = world.commit(LAST);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void aCommitmentThatNobodyDrawsFromIsToldOnceWhenItsHourIsOver() throws Exception {
        assertEquals(List.of(), look(SEEN));
        assertEquals(List.of(), look(IN_TIME));
        List<Alert> alerts = look(LATE);
        assertEquals(List.of(Alert.Kind.NOT_CHALLENGED), kinds(alerts));
        assertEquals(
                "entry 1 commits run %s to 10 steps; since 2026-01-02T03:04:05Z no auditor you accept has drawn units from it, 1 h were given"
                        .formatted(LAST.runId()),
                alerts.getFirst().message());
        assertEquals(List.of(), look(LATE), "told once");
    }

    @Test
    void aRunOfATrainerThatNobodyAcceptsOwesNothing() throws Exception {
        look(SEEN);
        Files.delete(world.trustFolder.resolve("trainers/acme.pem"));
        assertEquals(List.of(), look(LATE));
        assertEquals(0, kept.size());
    }

    @Test
    void aDrawByAStrangerDoesNotCount() throws Exception {
        look(SEEN);
        draw(AuditWorld.STRANGER);
        assertEquals(List.of(Alert.Kind.NOT_CHALLENGED), kinds(look(LATE)));
    }

    @Test
    void drawnUnitsWithoutAVerdictAreToldWhenTheirHourIsOver() throws Exception {
        AuditChallengeStatement challenge = draw(AuditWorld.ALICE);
        assertEquals(List.of(), look(SEEN));
        verdict(challenge.units().getFirst());
        List<Alert> alerts = look(LATE);
        assertEquals(List.of(Alert.Kind.UNANSWERED), kinds(alerts));
        String message = alerts.getFirst().message();
        assertTrue(
                message.startsWith("alice drew units (entry 2, seen 2026-01-02T03:04:05Z) and gave no verdict on "
                        + challenge.units().getLast().text() + " in the 1 h"),
                message);
        assertEquals(List.of(), look(LATE), "told once");
    }

    @Test
    void verdictsOnAllDrawnUnitsLeaveNothingOwed() throws Exception {
        AuditChallengeStatement challenge = draw(AuditWorld.ALICE);
        look(SEEN);
        assertEquals(1, kept.size());
        for (AuditUnit unit : challenge.units()) {
            verdict(unit);
        }
        assertEquals(List.of(), look(LATE));
        assertEquals(0, kept.size());
    }

    @Test
    void theStateKeepsWhatIsOwedAndReadsTheFirstVersionWhichKnewNothingOfIt() throws Exception {
        look(SEEN);
        look(LATE);
        SignedNote note = SignedNote.parse(receipt.checkpoint().toString().getBytes(StandardCharsets.UTF_8));
        MonitorState state = new MonitorState(note, new TreeMap<>(), kept);
        assertEquals(new Waiting(SEEN, true), state.waiting().get(1L));
        String text = new String(state.toBytes(), StandardCharsets.UTF_8);
        assertEquals(state, MonitorState.parse(text.getBytes(StandardCharsets.UTF_8)));
        String first = text.replaceFirst("\\A\\{(.*)\"version\":2(.*)", "{$1\"version\":1$2")
                .replaceFirst(",\"waiting\":\\[.*?\\]", "");
        assertEquals(
                new MonitorState(note, new TreeMap<>(), new TreeMap<>()),
                MonitorState.parse(first.getBytes(StandardCharsets.UTF_8)));
    }

    private AuditChallengeStatement draw(SigningKey auditor) throws Exception {
        AuditChallengeStatement challenge = world.draw(OPEN, LAST, receipt, auditor);
        assertEquals(2, world.append(challenge.toStatement(), auditor).index());
        return challenge;
    }

    private void verdict(AuditUnit unit) throws Exception {
        world.append(
                AuditWorld.verdict(LAST, receipt, OptionalLong.of(2), AuditWorld.report(unit, Verdict.REPRODUCED))
                        .toStatement(),
                AuditWorld.ALICE);
    }

    private List<Alert> look(Instant now) throws Exception {
        Deadlines deadlines = Deadlines.after(kept, world.survey(), now);
        kept = deadlines.waiting();
        return deadlines.alerts();
    }

    private static List<Alert.Kind> kinds(List<Alert> alerts) {
        return alerts.stream().map(Alert::kind).toList();
    }
}
