package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.TracePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The lies of {@link LyingTrainerTest} again, in runs of either family with two to four workers and both named trees. One
 * recording holds a lie in every other step; the steps between them are honest, and so is what each lie starts from.
 */
class LiesInEveryLayoutTest {
    private static final int STEPS = 10;

    @TempDir
    private Path temp;

    @ParameterizedTest
    @CsvSource({"llama,3,ascending", "llama,4,binary-blocks", "gpt2,4,binary-blocks"})
    void namesEveryLieOfARunByItsStep(String family, int workers, String tree) throws Exception {
        Map<Integer, List<Long>> honestRows = new HashMap<>();
        TestTrainer.train(temp.resolve("twin"), shape(family, workers, tree), new Lie() {
            @Override
            public List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
                if (step == 6) {
                    honestRows.put(10 * position + microBatch, honest);
                }
                return honest;
            }
        });
        assertEquals(Verdict.REPRODUCED, replay(temp.resolve("twin"), "STEP(6)").verdict());
        Path run = temp.resolve("run");
        TestTrainer.train(run, shape(family, workers, tree), new Lies(workers, honestRows));

        FirstDifference noise = diverged(run, "STEP(0)", 0);
        assertEquals(Optional.of(Phase.EMIT), noise.phase());
        assertEquals(Optional.of(new WorkerId(workers - 1)), noise.worker());
        FirstDifference counter = diverged(run, "STEP(2)", 2);
        assertEquals(Optional.of(Phase.FORWARD), counter.phase());
        assertTrue(
                counter.note().orElse("").contains("RNG counter"),
                counter.note().orElse(""));
        assertEquals(Optional.of(Phase.REDUCE), diverged(run, "STEP(4)", 4).phase());
        FirstDifference swapped = diverged(run, "STEP(6)", 6);
        assertEquals(Optional.of(Phase.DATA), swapped.phase());
        assertEquals(Optional.of(new WorkerId(0)), swapped.worker());
        assertEquals(Optional.of(Phase.UPDATE), diverged(run, "STEP(8)", 8).phase());
        for (String honest : List.of("GRADIENT(0,0)", "GRADIENT(4,1)")) {
            ReplayReport report = replay(run, honest);
            assertEquals(Verdict.REPRODUCED, report.verdict(), () -> honest + report.firstDifference());
        }
    }

    private static TestTrainer.Shape shape(String family, int workers, String tree) {
        return new TestTrainer.Shape(workers, Reduction.ORDERED, TracePolicy.OPERATORS, STEPS)
                .with(family.equals("llama") ? TestTrainer.llama(1) : TestTrainer.gpt2(1))
                .withTree(tree);
    }

    /** Noise, another dropout counter, a tensor left out, two workers' batches swapped, a state pulled elsewhere. */
    private static final class Lies implements Lie {
        private final int workers;
        private final Map<Integer, List<Long>> honestRows;

        Lies(int workers, Map<Integer, List<Long>> honestRows) {
            this.workers = workers;
            this.honestRows = honestRows;
        }

        @Override
        public void beforeEmit(long step, int position, Gradients gradients) {
            if (step == 0 && position == workers - 1) {
                SplittableRandom random = new SplittableRandom(17);
                for (int i = 0; i < gradients.manifest().count(); i++) {
                    float[] data = gradients.tensor(i);
                    for (int e = 0; e < data.length; e++) {
                        data[e] += (float) (1e-10 * random.nextGaussian());
                    }
                }
            }
        }

        @Override
        public long rngCounterUsed(long step, long honest) {
            return step == 2 ? honest + 7 : honest;
        }

        @Override
        public List<Gradients> handOff(long step, List<Gradients> honest) {
            if (step != 4) {
                return honest;
            }
            List<Gradients> changed = new ArrayList<>(honest);
            Gradients copy = honest.get(1).copy();
            Arrays.fill(copy.tensor(2), 0f);
            changed.set(1, copy);
            return changed;
        }

        /** Workers 0 and 1 read each other's rows of this step. */
        @Override
        public List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
            return step == 6 && position < 2
                    ? honestRows.getOrDefault(10 * (1 - position) + microBatch, honest)
                    : honest;
        }

        @Override
        public void afterUpdate(long step, HostState state) {
            if (step == 8) {
                for (int i = 0; i < state.manifest().count(); i++) {
                    float[] data = state.parameter(i);
                    for (int e = 0; e < data.length; e++) {
                        data[e] += 0.1f * (1f - data[e]);
                    }
                }
            }
        }
    }

    /** Another run's state stands at one boundary only: the steps on both sides of it do not fit. */
    @Test
    void aStateOfATwinRunInTheMiddleFitsNeitherTheStepBeforeNorTheStepAfter() throws Exception {
        Path run = temp.resolve("splice");
        TestTrainer.train(run, shape("llama", 2, "ascending"), new Lie() {
            private Optional<Swap> swap = Optional.empty();

            @Override
            public void afterUpdate(long step, HostState state) {
                if (step == 3) {
                    HostState honest = state.copy();
                    for (int i = 0; i < state.manifest().count(); i++) {
                        float[] data = state.parameter(i);
                        for (int e = 0; e < data.length; e++) {
                            data[e] = data[data.length - 1 - e];
                        }
                    }
                    swap = Optional.of(new Swap(state, honest));
                }
            }

            @Override
            public long rngCounterUsed(long step, long honest) {
                swap.filter(s -> step == 4).ifPresent(s -> s.honest().copyTo(s.state()));
                return honest;
            }
        });
        assertEquals(Optional.of(Phase.UPDATE), diverged(run, "STEP(3)", 3).phase());
        assertEquals(Optional.of(Phase.FORWARD), diverged(run, "STEP(4)", 4).phase());
        assertEquals(Verdict.REPRODUCED, replay(run, "STEP(2)").verdict());
        assertEquals(Verdict.REPRODUCED, replay(run, "STEP(6)").verdict());
    }

    private record Swap(HostState state, HostState honest) {}

    /** Every boundary state is pulled a tenth of the way to another model, the step with the smallest updates included. */
    @Test
    void everyStepOfARunWhoseStatesAreAllPulledToAnotherModelDiverges() throws Exception {
        Path run = temp.resolve("pulled");
        TestTrainer.train(run, shape("gpt2", 2, "binary-blocks"), new Lie() {
            @Override
            public void afterUpdate(long step, HostState state) {
                float[] data = state.parameter(0);
                for (int e = 0; e < data.length; e++) {
                    data[e] += 0.1f * (0.5f - data[e]);
                }
            }
        });
        for (int step = 0; step < STEPS; step += 2) {
            assertEquals(
                    Optional.of(Phase.UPDATE),
                    diverged(run, "STEP(" + step + ")", step).phase());
        }
    }

    /** The sign, the highest bit of the exponent and the lowest of the mantissa, of a parameter and of either moment. */
    @ParameterizedTest
    @ValueSource(strings = {"", "m.", "v."})
    void namesTheElementWhoseBitWasFlipped(String prefix) throws Exception {
        int[] bits = {0, 31, 30};
        Path run = temp.resolve("bits");
        TestTrainer.train(run, shape("llama", 2, "ascending"), new Lie() {
            @Override
            public void afterUpdate(long step, HostState state) {
                if (step % 2 == 1 && step / 2 < bits.length) {
                    float[] data = state.get(prefix, 3);
                    data[1] = Float.intBitsToFloat(Float.floatToRawIntBits(data[1]) ^ 1 << bits[(int) (step / 2)]);
                    state.bounds().forget();
                }
            }
        });
        for (int i = 0; i < bits.length; i++) {
            FirstDifference where = diverged(run, "UPDATE(" + (2 * i + 1) + ")", 2 * i + 1);
            assertEquals(1, where.index().orElseThrow());
            assertTrue(
                    where.tensor().orElseThrow().startsWith(prefix),
                    where.tensor().orElseThrow());
        }
    }

    private static FirstDifference diverged(Path run, String unit, long step) throws Exception {
        ReplayReport report = replay(run, unit);
        assertEquals(Verdict.DIVERGED, report.verdict(), () -> unit + report.reason());
        FirstDifference where = report.firstDifference().orElseThrow();
        assertEquals(Optional.of(new StepIndex(step)), where.step());
        return where;
    }

    private static ReplayReport replay(Path run, String unit) throws Exception {
        return Replays.replay(run, unit, BackendId.VECTOR, 2);
    }
}
