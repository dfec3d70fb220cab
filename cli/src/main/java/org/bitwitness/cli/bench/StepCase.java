package org.bitwitness.cli.bench;

import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.Family;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.OptimizerConfig;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ReductionTree;

/** A whole training step of the demo's model: one worker, two micro-batches of two sequences, clipping, AdamW. */
final class StepCase implements AutoCloseable {
    static final String NAME = "step-demo";

    private static final int VOCAB = 257;
    private static final int LENGTH = 128;
    private static final int SEQUENCES = 2;
    private static final int MICRO_BATCHES = 2;
    private static final double MAX_NORM = 1;

    private final OptimizerConfig optimizer = new OptimizerConfig(0.9, 0.95, 1e-8, 0.1, MAX_NORM);
    private final List<MicroBatch> batches;
    private final StepEngine engine;
    private final HostState state;

    StepCase(int threads) {
        DropoutRate rate = DropoutRate.of(0.1);
        ModelConfig.Dropouts dropouts = new ModelConfig.Dropouts(rate, rate, rate);
        ModelConfig model =
                new ModelConfig(Family.GPT2, VOCAB, LENGTH, 128, 4, 4, 4, 32, 512, 1e-5, 10_000, true, dropouts);
        engine = StepEngine.create(model, BackendId.VECTOR, threads);
        state = engine.initialState(new HostState.InitialWeights(1, 0.02, 0.01));
        SplittableRandom random = new SplittableRandom(1);
        batches = List.of(batch(random), batch(random));
    }

    private static MicroBatch batch(SplittableRandom random) {
        int[] ids = random.ints(SEQUENCES * LENGTH, 0, VOCAB).toArray();
        return new MicroBatch(SEQUENCES, LENGTH, ids, ids);
    }

    void once() {
        int tokens = MICRO_BATCHES * SEQUENCES * LENGTH;
        GradientResult gradient = engine.gradient(
                new GradientRequest(state, 1, state.updateCount() + 1, 0, batches, GradientRequest.invCount(tokens)),
                TraceSink.NONE);
        CombineResult combined =
                engine.combine(List.of(gradient.gradients()), new CombineRule.Ordered(ReductionTree.ascending(1)));
        ReduceResult reduced = engine.reduce(
                combined,
                List.of(new WorkerLoss(gradient.lossSum(), gradient.targetCount())),
                Averaging.TOKENS,
                MAX_NORM);
        engine.update(state, reduced.combined(), new UpdateRequest(1e-3, reduced.clip(), optimizer));
    }

    @Override
    public void close() {
        engine.close();
    }
}
