package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.ReductionTree;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * In the steady state of training the fast backend allocates no tensors: activations, packed operands and work arrays are
 * reused. What a step hands out, the gradients of its worker and their sum, is new every time and is allowed for.
 */
class AllocationTest {
    private static final int MOST_STEPS = 100;
    private static final long SMALL_OBJECTS = 2L << 20;

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"GPT2", "LLAMA"})
    void aStepAllocatesNothingButTheGradientsItHandsOut(Family family) {
        ModelConfig model = model(family);
        StepConfig config = config(model);
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(model, config.manifest(), config.profile()), Backends.create(BackendId.VECTOR, 1))) {
            HostState state = engine.initialState(config.initial(), config.optimizer());
            long least = Long.MAX_VALUE;
            long handedOut = 2L * Float.BYTES * parameters(config.manifest());
            // Until the optimising compiler is done, every vector is an object: wait for the first steady step.
            for (int i = 0; i < MOST_STEPS && least > handedOut + SMALL_OBJECTS; i++) {
                long before = allocatedByThisThread();
                step(engine, config, state);
                least = Math.min(least, allocatedByThisThread() - before);
            }
            assertTrue(
                    least <= handedOut + SMALL_OBJECTS,
                    "%s: %d bytes a step, %d are the gradients".formatted(family, least, handedOut));
            // Twin: what the step computes with is far larger than what the bound leaves.
            assertTrue(activations(model, config) > 4 * SMALL_OBJECTS);
        }
    }

    private static void step(StepEngine engine, StepConfig config, HostState state) {
        StepRunner.run(
                engine,
                new StepConfig(
                        config.profile(),
                        config.model(),
                        config.manifest(),
                        config.ropeTable(),
                        config.initial(),
                        config.seed(),
                        state.updateCount() + 1,
                        config.learningRate(),
                        config.optimizer(),
                        config.reduction(),
                        config.averaging(),
                        config.workers()),
                state);
    }

    private static long allocatedByThisThread() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static long parameters(ParameterManifest manifest) {
        return manifest.parameters().stream().mapToLong(p -> p.size()).sum();
    }

    /** Bytes of the residual stream, the MLP and the logits of one micro-batch. */
    private static long activations(ModelConfig model, StepConfig config) {
        long tokens = config.workers().getFirst().getFirst().tokens();
        return tokens
                * Float.BYTES
                * (model.layers() * (4L * model.width() + 2L * model.feedForward()) + model.vocab());
    }

    private static ModelConfig model(Family family) {
        boolean gpt2 = family == Family.GPT2;
        return new ModelConfig(
                family,
                1024,
                256,
                64,
                2,
                4,
                gpt2 ? 4 : 2,
                16,
                256,
                1e-5,
                10_000,
                gpt2,
                new ModelConfig.Dropouts(DropoutRate.of(0.1), DropoutRate.of(0.1), DropoutRate.of(0.1)));
    }

    private static StepConfig config(ModelConfig model) {
        SplittableRandom random = new SplittableRandom(5);
        List<MicroBatch> microBatches = new ArrayList<>();
        for (int b = 0; b < 2; b++) {
            int[] ids = random.ints(8 * 256, 0, model.vocab()).toArray();
            microBatches.add(new MicroBatch(8, 256, ids, Arrays.copyOf(ids, ids.length)));
        }
        return new StepConfig(
                NumericProfile.F32_C512,
                model,
                ParameterManifest.of(model),
                Optional.empty(),
                new HostState.InitialWeights(1, 0.02, 0.02),
                1,
                1,
                1e-3,
                new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0),
                new CombineRule.Ordered(ReductionTree.ascending(1)),
                Averaging.TOKENS,
                List.of(List.copyOf(microBatches)));
    }
}
