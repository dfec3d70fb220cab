package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.UpdateResult;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.ReductionTree;

/** A whole training step of a GPT-2 with one worker: its micro-batches, the norm, clipping and AdamW. */
final class StepCase implements AutoCloseable {
    private static final double MAX_NORM = 1;

    private final OptimizerSpec optimizer = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, MAX_NORM);
    private final List<MicroBatch> batches;
    private final StepEngine engine;
    private final HostState state;

    StepCase(StepSize size, int threads) {
        this(size, Backends.create(BackendId.VECTOR, threads));
    }

    /** Closes the backend when it is closed itself. */
    StepCase(StepSize size, Backend backend) {
        DropoutRate rate = size.dropout() == 0 ? DropoutRate.NONE : DropoutRate.of(size.dropout());
        ModelConfig model = new ModelConfig(
                Family.GPT2,
                size.vocab(),
                size.length(),
                size.width(),
                size.layers(),
                size.heads(),
                size.heads(),
                size.width() / size.heads(),
                4 * size.width(),
                1e-5,
                10_000,
                true,
                new ModelConfig.Dropouts(rate, rate, rate));
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), NumericProfile.F32_C512);
        engine = StepEngine.create(tensors, backend);
        state = engine.initialState(new HostState.InitialWeights(1, 0.02, 0.01), optimizer);
        SplittableRandom random = new SplittableRandom(1);
        batches = new ArrayList<>();
        for (int b = 0; b < size.microBatches(); b++) {
            batches.add(batch(size, random));
        }
    }

    private static MicroBatch batch(StepSize size, SplittableRandom random) {
        int[] ids = random.ints(Math.multiplyExact((long) size.sequences(), size.length()), 0, size.vocab())
                .toArray();
        return new MicroBatch(size.sequences(), size.length(), ids, ids);
    }

    /** Tokens of one step. */
    int tokens() {
        return batches.stream().mapToInt(MicroBatch::tokens).sum();
    }

    void once() {
        var _ = timed();
    }

    /** One step: the seconds of the gradient and of everything after it. */
    double[] timed() {
        int tokens = tokens();
        long started = System.nanoTime();
        GradientResult gradient = engine.gradient(
                new GradientRequest(state, 1, state.updateCount() + 1, 0, batches, GradientRequest.invCount(tokens)),
                TraceSink.NONE);
        long between = System.nanoTime();
        CombineResult combined =
                engine.combine(List.of(gradient.gradients()), new CombineRule.Ordered(ReductionTree.ascending(1)));
        ReduceResult reduced = engine.reduce(
                combined,
                List.of(new WorkerLoss(gradient.lossSum(), gradient.targetCount())),
                Averaging.TOKENS,
                MAX_NORM);
        if (engine.update(state, reduced.combined(), UpdateRequest.of(reduced, 1e-3, optimizer))
                != UpdateResult.UPDATED) {
            throw new IllegalStateException("the step is INVALID: it measures nothing");
        }
        engine.recycle(gradient.gradients());
        return new double[] {(between - started) / 1e9, (System.nanoTime() - between) / 1e9};
    }

    @Override
    public void close() {
        engine.close();
    }
}
