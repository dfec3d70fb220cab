package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Economy;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.TracePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes that people reported of other trainers, made by one of ours, and what a replay says about them. */
class FieldReportsTest {
    private static final Economy RECOMPUTING = new Economy(true, false, false);
    private static final int RESUMED_AT = 4;

    @TempDir
    private Path temp;

    /**
     * A resume restored the generator and then skipped the batches that had been read, which drew from it: from the first
     * step on every mask is that of another step. The steps before reproduce.
     */
    @Test
    void aCounterRestoredBeforeTheSkippingIsSeenInTheFirstStepAfterTheResume() throws Exception {
        Path run = temp.resolve("early");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public long rngCounterUsed(long step, long honest) {
                return step >= RESUMED_AT ? honest + 1 : honest;
            }
        });
        assertReproduced(run, "STEP(3)");
        FirstDifference where = diverged(run, "STEP(4)");
        assertEquals(Optional.of(new StepIndex(RESUMED_AT)), where.step());
        assertEquals(Optional.of(new WorkerId(0)), where.worker());
        assertEquals(0, where.microBatch().orElseThrow());
        assertEquals(Optional.of(Phase.FORWARD), where.phase());
        assertEquals(Optional.of("transformer.wte"), where.operator());
        assertTrue(where.note().orElse("").contains("RNG counter"), where.note().orElse(""));
    }

    /** A resume that begins the epoch again, as if nothing had been read. */
    @Test
    void aResumeThatReadsTheFirstSamplesAgainIsSeenAtItsFirstMicroBatch() throws Exception {
        Path run = temp.resolve("again");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, new Lie() {
            private final Map<String, List<Long>> first = new HashMap<>();

            @Override
            public List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
                String place = (step % RESUMED_AT) + " " + position + " " + microBatch;
                first.putIfAbsent(place, honest);
                return first.get(place);
            }
        });
        assertReproduced(run, "STEP(3)");
        FirstDifference where = diverged(run, "STEP(4)");
        assertEquals(Optional.of(Phase.DATA), where.phase());
        assertEquals(Optional.of(new WorkerId(0)), where.worker());
        assertEquals(0, where.microBatch().orElseThrow());
    }

    @Test
    void recomputedActivationsHaveTheMasksOfTheFirstTimeAndTheSameFiles() throws Exception {
        TestTrainer.train(temp.resolve("kept"), deep(), Lie.NONE);
        TestTrainer.train(temp.resolve("recomputed"), deep(), new Lie() {
            @Override
            public Economy economy() {
                return RECOMPUTING;
            }
        });
        assertEquals(digests(temp.resolve("kept")), digests(temp.resolve("recomputed")));
        assertReproduced(temp.resolve("recomputed"), "STEP(1)");
    }

    /** Activations made again with masks drawn anew: the forward is right, the backward of the block is not. */
    @Test
    void aMaskThatIsDrawnAnewInRecomputationIsSeenInTheBackwardOfItsBlock() throws Exception {
        Path run = temp.resolve("redrawn");
        TestTrainer.train(run, deep(), new Lie() {
            @Override
            public Economy economy() {
                return RECOMPUTING;
            }

            @Override
            public Backend backend(Backend honest) {
                return redrawing(honest);
            }
        });
        FirstDifference where = diverged(run, "STEP(1)");
        assertEquals(Optional.of(Phase.BACKWARD), where.phase());
        assertEquals(Optional.of(new WorkerId(0)), where.worker());
        assertTrue(
                where.operator().orElse("").startsWith("transformer.h.0."),
                where.operator().orElse(""));
    }

    private static TestTrainer.Shape deep() {
        return new TestTrainer.Shape(2, Reduction.ORDERED, TracePolicy.OPERATORS, 2).with(TestTrainer.gpt2(2));
    }

    /** A backend whose generator goes on: an operator that runs again in one micro-batch draws other numbers. */
    private static Backend redrawing(Backend sound) {
        Map<String, Integer> runs = new HashMap<>();
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    try {
                        if (arguments != null
                                && arguments.length == 2
                                && arguments[0] instanceof Operator op
                                && op.phase() == Phase.FORWARD
                                && arguments[1] instanceof OperatorContext c) {
                            String place =
                                    "%s %d %d %d".formatted(op.name(), c.updateCount(), c.worker(), c.microBatch());
                            int before = runs.merge(place, 1, Integer::sum) - 1;
                            return method.invoke(
                                    sound,
                                    op,
                                    new OperatorContext(
                                            c.batch(),
                                            c.dropoutSeed(),
                                            c.updateCount() + before,
                                            c.worker(),
                                            c.microBatch(),
                                            c.invCount()));
                        }
                        return method.invoke(sound, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void assertReproduced(Path run, String unit) throws Exception {
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(run, unit, BackendId.VECTOR, 2).verdict());
    }

    private static FirstDifference diverged(Path run, String unit) throws Exception {
        ReplayReport report = Replays.replay(run, unit, BackendId.VECTOR, 2);
        assertEquals(Verdict.DIVERGED, report.verdict(), () -> report.reason().orElse(""));
        return report.firstDifference().orElseThrow();
    }

    private static Map<String, Sha256> digests(Path folder) throws IOException {
        Map<String, Sha256> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                digests.put(folder.relativize(file).toString(), Hashing.file(file));
            }
        }
        return digests;
    }
}
