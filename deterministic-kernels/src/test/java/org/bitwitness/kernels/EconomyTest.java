package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.program.TensorBank;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holding less in memory changes no bit of any operator, gradient or loss. */
class EconomyTest {
    private static final int LAYERS = 4;

    private static final List<Economy> WAYS = List.of(
            new Economy(true, false, false),
            new Economy(false, true, false),
            new Economy(true, true, false),
            new Economy(false, true, true),
            new Economy(true, true, true));

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama", "bf16-gpt2", "bf16-llama"})
    void everyOperatorHasTheSameBitsHoweverLittleIsHeld(String run) {
        assertEquals(List.of(), differences(run));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void theFastBackendDoesSoWithOneThreadAndWithTwo(String run) {
        List<String> plain = roots(run, Backends.create(BackendId.REFERENCE, 1), Economy.NONE);
        for (int threads : new int[] {1, 2}) {
            for (Economy economy : WAYS) {
                assertEquals(plain, roots(run, Backends.create(BackendId.VECTOR, threads), economy), economy::toString);
            }
        }
    }

    /** What differs from a plain run, for every economy. */
    static List<String> differences(String run) {
        List<String> found = new ArrayList<>();
        List<String> plain = roots(run, Backends.create(BackendId.REFERENCE, 1), Economy.NONE);
        for (Economy economy : WAYS) {
            List<String> roots = roots(run, Backends.create(BackendId.REFERENCE, 1), economy);
            if (!roots.equals(plain)) {
                found.add("%s, %s: %s instead of %s".formatted(run, economy, roots, plain));
            }
        }
        return found;
    }

    /** Gradient, trace and loss of every worker, twice over: the second time buffers hold the first time's numbers. */
    private static List<String> roots(String run, Backend backend, Economy economy) {
        StepConfig golden = GoldenFiles.config(run, 1);
        ModelConfig model = deeper(golden.model());
        ParameterManifest manifest = ParameterManifest.of(model);
        List<String> roots = new ArrayList<>();
        try (StepEngine engine = StepEngine.create(ModelTensors.of(model, manifest, golden.profile()), backend)) {
            engine.economize(economy);
            HostState state = engine.initialState(golden.initial(), golden.optimizer());
            if (economy.paged()) {
                state = elsewhere(state, golden.optimizer());
                engine.gradientsIn(() -> Gradients.in(new Elsewhere(), manifest));
            }
            for (int round = 0; round < 2; round++) {
                for (int w = 0; w < golden.workers().size(); w++) {
                    TraceHasher trace = new TraceHasher();
                    GradientResult result = engine.gradient(request(golden, state, w), trace);
                    roots.add("%s %s %s"
                            .formatted(
                                    TensorRoots.gradient(result.gradients(), Runnable::run),
                                    trace.finish().traceRoot(),
                                    result.lossSum()));
                }
            }
        }
        return roots;
    }

    /** Gives and takes copies, as a file does. */
    private static final class Elsewhere implements TensorBank {
        private final Map<Integer, float[]> kept = new HashMap<>();

        @Override
        public float[] get(int index) {
            return Objects.requireNonNull(kept.get(index)).clone();
        }

        @Override
        public void put(int index, float[] data) {
            kept.put(index, data.clone());
        }

        @Override
        public boolean inMemory() {
            return false;
        }
    }

    private static HostState elsewhere(HostState state, OptimizerSpec optimizer) {
        HostState copy = HostState.in(_ -> new Elsewhere(), state.manifest(), optimizer, state.updateCount());
        for (int i = 0; i < state.manifest().count(); i++) {
            copy.put("", i, state.parameter(i));
        }
        return copy;
    }

    private static GradientRequest request(StepConfig golden, HostState state, int worker) {
        List<MicroBatch> batches = new ArrayList<>(golden.workers().get(worker));
        if (batches.size() == 1) {
            batches.addAll(golden.workers().getFirst());
        }
        return new GradientRequest(state, golden.seed(), 1, worker, batches, GradientRequest.invCount(100));
    }

    /** Dropout everywhere, and blocks before and after the middle one. */
    private static ModelConfig deeper(ModelConfig m) {
        DropoutRate rate = DropoutRate.of(0.1);
        return new ModelConfig(
                m.family(),
                m.vocab(),
                m.context(),
                m.width(),
                LAYERS,
                m.heads(),
                m.kvHeads(),
                m.headDim(),
                m.feedForward(),
                m.normEps(),
                m.ropeTheta(),
                m.tied(),
                new ModelConfig.Dropouts(rate, rate, rate));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void oneBlocksTensorsServeAllBlocks(String run) {
        StepConfig golden = GoldenFiles.config(run, 1);
        ModelConfig model = deeper(golden.model());
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), golden.profile());
        StepProgram program = StepProgram.of(tensors, new BatchShape(2, 16));
        long all = program.activationBytes(Economy.NONE);
        long less = program.activationBytes(new Economy(true, false, false));
        long block = (all - less) / (LAYERS - 1);
        assertTrue(block * LAYERS > all / 2, "most activations are inside blocks: %d of %d".formatted(block, all));
        assertEquals(all, less + block * (LAYERS - 1));
        long pooled = GradientPool.bytes(program, tensors.gradients());
        long gradients =
                tensors.gradients().stream().mapToLong(t -> 4L * t.size()).sum();
        assertTrue(pooled < gradients / 2, "%d of %d".formatted(pooled, gradients));
        long paged = MemoryNeeds.parameterBytes(program, tensors, new Economy(true, true, true));
        assertTrue(paged < gradients / 2, "%d of %d".formatted(paged, gradients));
        assertEquals(gradients, MemoryNeeds.parameterBytes(program, tensors, Economy.NONE));
    }

    @Test
    void refusesToEconomizeWhenStorageIsThereAlready() {
        StepConfig golden = GoldenFiles.config("gpt2", 1);
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(golden.model(), golden.manifest(), golden.profile()),
                Backends.create(BackendId.VECTOR, 1))) {
            HostState state = engine.initialState(golden.initial(), golden.optimizer());
            engine.gradient(request(golden, state, 0), event -> {});
            assertThrows(IllegalStateException.class, () -> engine.economize(new Economy(true, true, false)));
        }
    }
}
