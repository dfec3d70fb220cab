package org.bitwitness.attestation.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.verify.AuditWorld;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One honest log, and each way in which one may change under a watcher's eyes. */
class LogMonitorTest {
    private static final Instant WITNESSED = Instant.parse("2026-01-02T03:04:05Z");
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 10);

    @TempDir
    Path folder;

    private AuditWorld world;
    private LogReceipt receipt;

    @BeforeEach
    void logARun() throws Exception {
        world = new AuditWorld(folder.resolve("a"));
        world.commit(OPEN);
        receipt = world.commit(LAST);
        verdict("STEP(3)", Verdict.REPRODUCED);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void seesAnHonestLogGrowWithoutAnAlert() throws Exception {
        LogMonitor.Report first = look(Optional.empty());
        assertEquals(List.of(), first.alerts());
        assertEquals(1, first.newVerdicts());
        verdict("STEP(4)", Verdict.DIVERGED);
        MonitorState kept = MonitorState.parse(first.next().orElseThrow().toBytes());
        assertEquals(first.next().orElseThrow(), kept);
        LogMonitor.Report second = look(Optional.of(kept));
        assertEquals(List.of(), second.alerts());
        assertEquals(1, second.newVerdicts());
        assertEquals(1, second.diverged());
        assertEquals(2, second.next().orElseThrow().verdicts().size());
    }

    @Test
    void seesALogThatTellsAnotherStoryAndKeepsTheEvidence() throws Exception {
        LogMonitor.Report first = look(Optional.empty());
        try (AuditWorld twin = new AuditWorld(folder.resolve("b"))) {
            twin.commit(Samples.open("other", BeaconMode.WITNESS_VRF));
            twin.commit(OPEN);
            twin.commit(LAST);
            twin.commit(Samples.open("more", BeaconMode.WITNESS_VRF));
            LogMonitor.Report fork =
                    LogMonitor.look(source(twin.logFolder), world.trust(), limits(WITNESSED), first.next(), List.of());
            assertEquals(List.of(Alert.Kind.FORK), kinds(fork));
            assertEquals(first.next(), fork.next(), "the old checkpoint stays: it is the evidence");
            LogMonitor.Report split = LogMonitor.look(
                    source(world.logFolder),
                    world.trust(),
                    limits(WITNESSED),
                    Optional.empty(),
                    List.of(source(twin.logFolder)));
            assertEquals(List.of(Alert.Kind.FORK), kinds(split));
        }
    }

    @Test
    void seesAnOldCopy() throws Exception {
        Path old = folder.resolve("old");
        copy(world.logFolder, old);
        verdict("STEP(4)", Verdict.DIVERGED);
        LogMonitor.Report now = look(Optional.empty());
        LogMonitor.Report back = LogMonitor.look(source(old), world.trust(), limits(WITNESSED), now.next(), List.of());
        assertEquals(List.of(Alert.Kind.ROLLED_BACK), kinds(back));
        assertEquals(now.next(), back.next());
        assertEquals(
                List.of(),
                LogMonitor.look(
                                source(old),
                                world.trust(),
                                limits(WITNESSED),
                                Optional.empty(),
                                List.of(source(world.logFolder)))
                        .alerts(),
                "an old copy is no fork");
    }

    @Test
    void seesAVerdictVanishFromTheLogAndFromAnIndex() throws Exception {
        LogMonitor.Report first = look(Optional.empty());
        Sha256 payload =
                Objects.requireNonNull(first.next().orElseThrow().verdicts().get(2L));
        assertEquals(
                1,
                LogMonitor.leftOut(first.next().orElseThrow(), Set.of(0L, 1L), "page")
                        .size());
        assertEquals(List.of(), LogMonitor.leftOut(first.next().orElseThrow(), Set.of(2L), "page"));
        Files.delete(world.logFolder.resolve("payload/" + payload.hex()));
        assertEquals(List.of(Alert.Kind.VANISHED), kinds(look(first.next())));
        assertEquals(List.of(Alert.Kind.VANISHED), kinds(look(Optional.empty())), "also for a new watcher");
    }

    @Test
    void seesDamageAStandstillAndAMissingCosignature() throws Exception {
        assertEquals(
                List.of(Alert.Kind.STALE),
                kinds(LogMonitor.look(
                        source(world.logFolder),
                        world.trust(),
                        limits(WITNESSED.plus(Duration.ofHours(25))),
                        Optional.empty(),
                        List.of())));
        assertEquals(
                List.of(Alert.Kind.STALE),
                kinds(LogMonitor.look(
                        source(world.logFolder),
                        world.trust(),
                        limits(WITNESSED.minus(Duration.ofHours(1))),
                        Optional.empty(),
                        List.of())));
        Path damaged = folder.resolve("damaged");
        copy(world.logFolder, damaged);
        Path tile = damaged.resolve("tile/0/000.p/3");
        byte[] bytes = Files.readAllBytes(tile);
        bytes[40] ^= 1;
        Files.write(tile, bytes);
        assertTrue(
                kinds(LogMonitor.look(source(damaged), world.trust(), limits(WITNESSED), Optional.empty(), List.of()))
                        .contains(Alert.Kind.NOT_WITNESSED));
        Path note = world.logFolder.resolve("checkpoint");
        List<String> lines = Files.readAllLines(note);
        Files.writeString(note, String.join("\n", lines.subList(0, lines.size() - 1)) + "\n");
        assertEquals(List.of(Alert.Kind.NOT_WITNESSED), kinds(look(Optional.empty())));
    }

    private void verdict(String unit, Verdict verdict) throws Exception {
        world.append(
                AuditWorld.verdict(
                                LAST, receipt, OptionalLong.empty(), AuditWorld.report(AuditUnit.parse(unit), verdict))
                        .toStatement(),
                AuditWorld.ALICE);
    }

    private LogMonitor.Report look(Optional<MonitorState> before) throws Exception {
        return LogMonitor.look(source(world.logFolder), world.trust(), limits(WITNESSED), before, List.of());
    }

    private static LogMonitor.Limits limits(Instant now) {
        return new LogMonitor.Limits(InstantSource.fixed(now), Duration.ofHours(24));
    }

    private static List<Alert.Kind> kinds(LogMonitor.Report report) {
        return report.alerts().stream().map(Alert::kind).toList();
    }

    private static LogSource source(Path log) throws Exception {
        return LogSources.at(log.toString());
    }

    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
