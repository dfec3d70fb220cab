package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed replay leaves behind, and what the next one believes of it. */
class KeptWorkTest {
    private static final KeepSecret SECRET = new KeepSecret(Hashing.sha256("an auditor's secret"));
    private static final AuditUnit SEGMENT = AuditUnit.parse("SEGMENT(1,6)");
    private static final int STOPPED_AT = 4;
    private static final Sha256 MACHINE = Hashing.sha256("this machine");
    private static final Asked USUAL = new Asked(BackendId.VECTOR, ReplaySalt.NONE, SECRET, "1", MACHINE);

    @TempDir
    private static Path temp;

    private static Path run;
    private static ReplayReport whole;
    /** What a process that was killed in step 4 had kept. */
    private static byte[] left;

    /** What a replay said and which steps it computed. */
    private record Heard(List<String> notes, List<String> steps) implements ProgressListener {
        Heard() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        @Override
        public void progress(long done, long total, String note) {
            if (done == steps.size()) {
                steps.add(note.substring(0, note.indexOf(',')));
            }
        }

        @Override
        public void note(String words) {
            notes.add(words);
        }
    }

    @BeforeAll
    static void killAReplayHalfWay() throws Exception {
        run = temp.resolve("run");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, Lie.NONE);
        whole = replay(run, SEGMENT, temp.resolve("whole"), _ -> {});
        Path kept = temp.resolve("killed");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // As this JVM: what is kept is bound to the machine, its JVM's options included.
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ReplayThatStops.class.getName()));
        command.addAll(List.of(run.toString(), SEGMENT.text(), kept.toString(), String.valueOf(STOPPED_AT)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> lines = new ArrayList<>();
            Optional<String> line = Optional.ofNullable(said.readLine());
            while (line.isPresent() && !line.get().equals(ReplayThatStops.HERE + STOPPED_AT)) {
                lines.add(line.get());
                line = Optional.ofNullable(said.readLine());
            }
            assertTrue(line.isPresent(), () -> "the process ended by itself: " + lines);
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        left = Files.readAllBytes(kept);
    }

    static ReplayReport replay(Path run, AuditUnit unit, Path file, Consumer<String> heard) throws ReplayException {
        return replay(run, unit, options(file, SECRET, "1"), (_, _, note) -> heard.accept(note));
    }

    private static ReplayReport replay(Path run, AuditUnit unit, ReplayOptions options, ProgressListener heard)
            throws ReplayException {
        try (CommittedRun committed = CommittedRun.open(run, Optional.empty())) {
            return new UnitReplayer(committed, EngineFactory.STANDARD, options, InstantSource.system())
                    .replay(unit, heard);
        }
    }

    private static ReplayOptions options(Path file, KeepSecret secret, String tool) {
        return new ReplayOptions(
                BackendId.VECTOR, 1, ReplaySalt.NONE, Optional.of(new KeepPlace(file, secret, tool, Duration.ZERO)));
    }

    private static List<String> steps(int first, int end) {
        List<String> parts = new ArrayList<>();
        for (int t = first; t < end; t++) {
            for (int part = 0; part <= TestTrainer.Shape.SMALL.workers(); part++) {
                parts.add("step " + t);
            }
        }
        return parts;
    }

    /** All but times and what the machine is. */
    private static void assertSame(ReplayReport expected, ReplayReport found) {
        assertEquals(Verdict.REPRODUCED, found.verdict(), () -> found.reason().orElse(""));
        assertEquals(expected.computedRoot(), found.computedRoot());
        assertEquals(expected.proof(), found.proof());
        assertEquals(expected.stepsReplayed(), found.stepsReplayed());
        assertEquals(expected.tokens(), found.tokens());
    }

    private Path killed(String name) throws Exception {
        return Files.write(temp.resolve(name), left);
    }

    @Test
    void goesOnAtTheStepWhereItWasKilledReportsTheSameAndReplaysNothingTwice() throws Exception {
        Path file = killed("goes-on");
        Heard heard = new Heard();
        ReplayReport report = replay(run, SEGMENT, options(file, SECRET, "1"), heard);
        assertEquals(List.of("SEGMENT(1,6) goes on at state 4, where an earlier process stood"), heard.notes());
        assertEquals(steps(STOPPED_AT, 6), heard.steps(), "steps 0 to 3 were replayed before");
        assertSame(whole, report);

        Heard again = new Heard();
        assertEquals(report, replay(run, SEGMENT, options(file, SECRET, "1"), again));
        assertEquals(List.of(), again.steps(), "the unit was finished");
    }

    @Test
    void replaysFromTheStartWhatCannotBeBelieved() throws Exception {
        Path file = killed("changed");
        byte[] changed = left.clone();
        changed[left.length - 10] ^= 1;
        Files.write(file, changed);
        Heard heard = new Heard();
        ReplayReport report = replay(run, SEGMENT, options(file, SECRET, "1"), heard);
        assertEquals(1, heard.notes().size(), heard.notes()::toString);
        assertTrue(heard.notes().getFirst().contains("state 4 should have root"), heard.notes()::toString);
        assertEquals(steps(0, 6), heard.steps());
        assertSame(whole, report);
    }

    @Test
    void saysEveryOperatorOfTheUnitWhileItIsComputed() throws Exception {
        List<String> said = new ArrayList<>();
        replay(run, AuditUnit.parse("GRADIENT(1,2)"), temp.resolve("operators"), said::add);
        String operator = "step 1, worker 2, transformer.h.0.attn.c_attn";
        assertTrue(said.stream().anyMatch(note -> note.startsWith(operator)), said::toString);
        assertEquals("step 1, worker 2, emit", said.getLast());
    }

    /** It is of the same descriptor and another run: only the commitment differs. */
    @Test
    void believesNothingOfAnotherRecording() throws Exception {
        Path liar = temp.resolve("liar");
        TestTrainer.train(liar, TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                gradients.tensor(0)[0] += step == 2 ? 1 : 0;
            }
        });
        Heard heard = new Heard();
        ReplayReport report = replay(liar, SEGMENT, options(killed("other-run"), SECRET, "1"), heard);
        assertEquals(1, heard.notes().size(), heard.notes()::toString);
        assertTrue(heard.notes().getFirst().contains("another recording"), heard.notes()::toString);
        assertEquals(Verdict.DIVERGED, report.verdict());
        assertEquals(
                Optional.of(new StepIndex(2)),
                report.firstDifference().orElseThrow().step());
    }

    /** Somebody who can write the folder and has no key. */
    @Test
    void believesNoByteThatWasChanged() throws Exception {
        Path file = temp.resolve("bytes");
        assertEquals(Optional.of(4L), kept(file, USUAL, SEGMENT, true), "the untouched twin");
        byte[] good = Files.readAllBytes(file);
        int head = ByteBuffer.wrap(good, 8, 4).getInt();
        for (int at = 0; at < good.length; at += at < 12 + head + 32 ? 1 : 1009) {
            byte[] changed = good.clone();
            changed[at] ^= 0x10;
            Files.write(file, changed);
            assertUnused(file, USUAL, SEGMENT, "byte " + at);
        }
        for (int length : new int[] {0, 11, 12, 100, 12 + head + 31, 12 + head + 32, good.length - 4}) {
            Files.write(file, Arrays.copyOf(good, length));
            assertUnused(file, USUAL, SEGMENT, "cut to " + length);
        }
        Files.write(file, Arrays.copyOf(good, good.length + 4));
        assertUnused(file, USUAL, SEGMENT, "four bytes more");
    }

    @Test
    void believesNothingOfAnotherKeyVersionChallengeAuditorBackendMachineOrUnit() throws Exception {
        KeepSecret stranger = new KeepSecret(Hashing.sha256("somebody else's secret"));
        ReplaySalt challenge = new ReplaySalt(Optional.empty(), Optional.of(Hashing.sha256("challenge")));
        ReplaySalt auditor =
                new ReplaySalt(Optional.of(new ReplaySalt.PublicKeyBytes(new byte[] {1})), Optional.empty());
        Sha256 machine = Hashing.sha256("another machine");
        Map<String, Asked> others = Map.of(
                "key", new Asked(BackendId.VECTOR, ReplaySalt.NONE, stranger, "1", MACHINE),
                "version", new Asked(BackendId.VECTOR, ReplaySalt.NONE, SECRET, "2", MACHINE),
                "challenge", new Asked(BackendId.VECTOR, challenge, SECRET, "1", MACHINE),
                "auditor", new Asked(BackendId.VECTOR, auditor, SECRET, "1", MACHINE),
                "backend", new Asked(BackendId.REFERENCE, ReplaySalt.NONE, SECRET, "1", MACHINE),
                "machine", new Asked(BackendId.VECTOR, ReplaySalt.NONE, SECRET, "1", machine));
        for (Map.Entry<String, Asked> other : others.entrySet()) {
            Path file = temp.resolve("other-" + other.getKey());
            assertEquals(Optional.of(4L), kept(file, USUAL, SEGMENT, true), "the untouched twin");
            assertUnused(file, other.getValue(), SEGMENT, "another " + other.getKey());
        }
        Path file = temp.resolve("other-unit");
        assertEquals(Optional.of(4L), kept(file, USUAL, SEGMENT, true));
        assertUnused(file, USUAL, AuditUnit.parse("SEGMENT(2,6)"), "another unit");
    }

    @Test
    void takesNoLinkAndWritesThroughNone() throws Exception {
        Path target = temp.resolve("target");
        assertEquals(Optional.of(4L), kept(target, USUAL, SEGMENT, true));
        byte[] before = Files.readAllBytes(target);
        Path link = Files.createSymbolicLink(temp.resolve("link"), target);
        assertUnused(link, USUAL, SEGMENT, "a link");
        Files.createSymbolicLink(temp.resolve("link.partial"), target);
        assertEquals(Optional.of(4L), kept(link, USUAL, SEGMENT, true));
        assertArrayEquals(before, Files.readAllBytes(target), "what a link names is left alone");
    }

    @Test
    void neverPrintsTheSecret() {
        String printed = options(temp.resolve("x"), SECRET, "1").toString();
        assertFalse(printed.contains(SECRET.value().hex()), printed);
    }

    private static void assertUnused(Path file, Asked asked, AuditUnit unit, String what) throws Exception {
        assertEquals(Optional.empty(), kept(file, asked, unit, false), what);
        assertFalse(Files.exists(file, LinkOption.NOFOLLOW_LINKS), () -> what + " should be thrown away");
    }

    /** Who asks for what is kept. */
    private record Asked(BackendId backend, ReplaySalt salt, KeepSecret secret, String tool, Sha256 machine) {}

    /** The state that kept work stands at, after it was kept where wanted; nothing must be said with a word. */
    private static Optional<Long> kept(Path file, Asked asked, AuditUnit unit, boolean first) throws Exception {
        Heard heard = new Heard();
        ReplayOptions options = new ReplayOptions(
                asked.backend(),
                1,
                asked.salt(),
                Optional.of(new KeepPlace(file, asked.secret(), asked.tool(), Duration.ZERO)));
        try (CommittedRun committed = CommittedRun.open(run, Optional.empty())) {
            if (first) {
                Files.deleteIfExists(file);
                LoadedState at = committed.checkpointAtOrBefore(new StateIndex(STOPPED_AT), Storage.inMemory());
                KeptWalk walk = new KeptWalk(at.scalars(), 4, 5, 1, List.of(MACHINE), Instant.EPOCH, Duration.ZERO);
                Kept.of(committed, unit, options, List.of(asked.machine()), heard)
                        .keep(walk, at.state());
            }
            Optional<Kept.Resumed> found = Kept.of(committed, unit, options, List.of(asked.machine()), heard)
                    .walk(0, 6);
            assertEquals(1, heard.notes().size(), heard.notes()::toString);
            assertEquals(found.isEmpty(), heard.notes().getFirst().contains("is not used"), heard.notes()::toString);
            return found.map(resumed -> resumed.at().scalars().stateIndex().value());
        }
    }
}
