package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.TracePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However little a replay holds in memory, its report says the same. */
class MannerTest {
    private static final List<String> UNITS =
            List.of("INIT", "DATA(shard-00000)", "GRADIENT(3,2)", "REDUCE(4)", "UPDATE(3)", "FINAL");

    @TempDir
    private static Path temp;

    /** A segment has all that other units have: checkpoints, gradients, traces, reductions, updates, a proof. */
    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void aSegmentHasTheSameReportInEveryMannerOnOneThreadAndOnTwo(String which) throws Exception {
        assertEquals(
                List.of(), differences(trained(which, Lie.NONE), "SEGMENT(1,4)", Verdict.REPRODUCED, List.of(1, 2)));
    }

    @Test
    void everyUnitHasTheSameReportInEveryManner() throws Exception {
        Path run = trained("gpt2", Lie.NONE);
        for (String unit : UNITS) {
            assertEquals(List.of(), differences(run, unit, Verdict.REPRODUCED, List.of(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "bf16", "sgd", "updates", "MEDIAN", "MULTI_KRUM(1,2)", "alone"})
    void everyRuleAndProfileHasTheSameReportInEveryManner(String which) throws Exception {
        assertEquals(List.of(), differences(trained(which, Lie.NONE), "STEP(3)", Verdict.REPRODUCED, List.of(1, 2)));
    }

    @Test
    void everyMannerFindsTheSameLies() throws Exception {
        for (int liar : new int[] {0, 2}) {
            Path gradient = trained("gpt2", new Lie() {
                @Override
                public void beforeEmit(long step, int position, Gradients gradients) {
                    gradients.tensor(0)[0] += step == 3 && position == liar ? 1 : 0;
                }
            });
            for (String unit : List.of("GRADIENT(3,%d)".formatted(liar), "SEGMENT(1,5)")) {
                assertEquals(List.of(), differences(gradient, unit, Verdict.DIVERGED, List.of(1, 2)));
            }
        }
        Path update = trained("gpt2", new Lie() {
            @Override
            public int hiddenStepsAfter(long step) {
                return step == 3 ? 1 : 0;
            }
        });
        for (String unit : List.of("UPDATE(3)", "SEGMENT(1,5)")) {
            assertEquals(List.of(), differences(update, unit, Verdict.DIVERGED, List.of(1)));
        }
    }

    private static Path trained(String which, Lie lie) throws Exception {
        Path run = Files.createTempDirectory(temp, "run").resolve("run");
        TestTrainer.Shape small = TestTrainer.Shape.SMALL;
        TestTrainer.train(
                run,
                switch (which) {
                    case "gpt2" -> small.with(TestTrainer.gpt2(3));
                    case "llama" -> small.with(TestTrainer.llama(3));
                    case "exact" -> small.with(Reduction.EXACT);
                    case "bf16" -> small.with(ProfileId.BF16_C512).with(TestTrainer.gpt2(2));
                    case "sgd" -> small.with(new OptimizerSpec.Sgd(0.9, 0.1, false, 0.01, 1.0));
                    case "updates" -> small.withUpdates();
                    case "alone" -> new TestTrainer.Shape(1, Reduction.ORDERED, TracePolicy.ROOTS, TestTrainer.STEPS);
                    default -> small.with(Reduction.parse(which));
                },
                lie);
        return run;
    }

    /** Reports that say something else than the usual one does, but for times. */
    private static List<String> differences(Path run, String unit, Verdict verdict, List<Integer> onThreads)
            throws Exception {
        List<String> found = new ArrayList<>();
        Map<String, String> usual = new TreeMap<>();
        for (int threads : onThreads) {
            for (Manner manner : Manner.values()) {
                ReplayReport report = replay(run, unit, threads, manner, Storage::of);
                assertEquals(
                        verdict,
                        report.verdict(),
                        () -> unit + " " + manner + " " + report.reason().orElse(""));
                assertTrue(
                        verdict == Verdict.DIVERGED || report.proof().leaves() > 0,
                        () -> unit + " " + manner + " samples nothing");
                String says = said(report);
                usual.putIfAbsent("", says);
                if (!says.equals(usual.get(""))) {
                    found.add("%s with %d threads, %s: %s".formatted(unit, threads, manner, says));
                }
            }
        }
        return found;
    }

    private static String said(ReplayReport r) {
        return Stream.of(
                        r.verdict(),
                        r.expectedRoot(),
                        r.computedRoot(),
                        r.firstDifference(),
                        r.reason(),
                        r.confirmedBy(),
                        r.proof(),
                        r.stepsReplayed(),
                        r.tokens())
                .map(String::valueOf)
                .reduce("", (a, b) -> a + " " + b);
    }

    private static ReplayReport replay(
            Path run, String unit, int threads, Manner manner, Function<Manner, Storage> storages) throws Exception {
        try (CommittedRun committed = CommittedRun.open(run, Optional.empty())) {
            ReplayOptions options =
                    new ReplayOptions(BackendId.VECTOR, threads, ReplaySalt.NONE, Optional.empty(), manner);
            return new UnitReplayer(committed, EngineFactory.STANDARD, options, InstantSource.system(), storages)
                    .replay(AuditUnit.parse(unit), ProgressListener.NONE);
        }
    }

    /** A spill file under a name that stays, which a stranger writes into whenever a state has been kept. */
    private static Storage disturbed(Path file, long everyByte, Manner manner) {
        try {
            Files.createFile(file);
            FileChannel own = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            return new Storage(
                    Optional.of(new SpillFile(own) {
                        @Override
                        void kept() {
                            if (everyByte > 0) {
                                flip(file, everyByte);
                            }
                        }
                    }),
                    manner.pages());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void flip(Path file, long at) {
        try (FileChannel stranger = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            if (stranger.read(one, at) == 1) {
                // The same every time: two flips would be none.
                one.put(0, (byte) 0x5a);
                stranger.write(one.flip(), at);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aTensorThatChangedOnDiskEndsTheReplayWithoutAVerdict() throws Exception {
        Path run = trained("gpt2", Lie.NONE);
        for (Manner manner : List.of(Manner.SPILL, Manner.PAGE)) {
            // In the first state, and in what lies behind it: the first gradient.
            for (long at : new long[] {100, stateBytes(run) + 100}) {
                String name = manner + " " + at;
                ReplayReport report =
                        replay(run, "STEP(3)", 1, manner, of -> disturbed(temp.resolve("changed " + name), at, of));
                assertEquals(Verdict.INCONCLUSIVE, report.verdict(), name);
                assertTrue(report.reason().orElseThrow().contains("kept in a temporary file, should have SHA-256"));
            }
            // Twin: the same file, left alone.
            ReplayReport alone =
                    replay(run, "STEP(3)", 1, manner, of -> disturbed(temp.resolve("alone " + manner), 0, of));
            assertEquals(
                    Verdict.REPRODUCED, alone.verdict(), () -> alone.reason().orElse(""));
        }
    }

    private static long stateBytes(Path folder) throws Exception {
        try (CommittedRun run = CommittedRun.open(folder, Optional.empty())) {
            long parameters = ParameterManifest.of(run.facts().model()).parameters().stream()
                    .mapToLong(p -> (long) p.size() * Float.BYTES)
                    .sum();
            return parameters
                    * (1 + run.descriptor().optimizer().momentPrefixes().size());
        }
    }

    @Test
    void aHeapWithoutALimitGetsTheLeastEconomicalMannerThatFits() throws Exception {
        Path folder = trained("gpt2", Lie.NONE);
        AuditUnit unit = AuditUnit.parse("STEP(3)");
        try (CommittedRun run = CommittedRun.open(folder, Optional.empty())) {
            MemoryPlanner planner = new MemoryPlanner(run, BackendId.VECTOR, 2, false);
            assertEquals(Manner.SIDE_BY_SIDE, planner.forHeap(unit, 1L << 40));
            assertEquals(planner.smallest(unit).manner(), planner.forHeap(unit, 1));
            MemoryPlan least = planner.smallest(unit);
            assertEquals(least.manner(), planner.forHeap(unit, MemoryPlanner.heapFor(least)));
            assertTrue(MemoryPlanner.heapFor(least) * 3 / 4 >= least.heapBytes());
        }
    }

    @Test
    void leavesNoFileBehindAndShowsNoneWhereTheSystemCanHideIt() throws Exception {
        Path folder = Files.createTempDirectory(temp, "spills");
        try (SpillFile file = SpillFile.in(folder)) {
            file.kept();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void saysThatAFolderCannotBeWritten() {
        SpillException thrown = assertThrows(SpillException.class, () -> SpillFile.in(temp.resolve("no such folder")));
        assertTrue(thrown.reason().contains("no temporary file can be made in"), thrown::reason);
    }

    @Test
    void everyMannerIsKnownByItsName() {
        for (Manner manner : Manner.values()) {
            assertEquals(Optional.of(manner), Manner.parse(manner.text()));
        }
        assertFalse(Manner.parse("somehow").isPresent());
    }
}
