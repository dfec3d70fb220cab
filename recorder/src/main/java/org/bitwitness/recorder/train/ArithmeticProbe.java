package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.tensor.TensorDigests;

/**
 * Two steps of a tiny model with two workers: a machine, JDK or version that computes other bits is found before it has trained
 * anything.
 */
final class ArithmeticProbe {
    private static final int WORKERS = 2;
    private static final int TOKENS = 8;
    private static final int VOCAB = 61;
    private static final long SEED = 20_260_601;
    private static final OptimizerSpec.AdamW OPTIMIZER = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0);

    private static final DropoutRate RATE = DropoutRate.of(0.1);

    private ArithmeticProbe() {}

    /** Root over all tensors of the state after two steps. */
    static Sha256 digest(BackendId backend) {
        ModelConfig model = new ModelConfig(
                Family.GPT2,
                VOCAB,
                TOKENS,
                24,
                1,
                2,
                2,
                12,
                40,
                1e-5,
                0.0,
                true,
                new ModelConfig.Dropouts(RATE, RATE, RATE));
        try (StepEngine engine = StepEngine.create(model, backend, 1)) {
            HostState state = engine.initialState(new HostState.InitialWeights(SEED, 0.02, 0.01), OPTIMIZER);
            for (long t = 1; t <= 2; t++) {
                step(engine, state, t);
            }
            return TensorDigests.tensorsRoot(state.tensors(), Runnable::run);
        }
    }

    private static void step(StepEngine engine, HostState state, long t) {
        List<Gradients> gradients = new ArrayList<>();
        List<WorkerLoss> losses = new ArrayList<>();
        for (int w = 0; w < WORKERS; w++) {
            var result = engine.gradient(
                    new GradientRequest(
                            state,
                            SEED,
                            t,
                            w,
                            List.of(batch(w), batch(w + WORKERS)),
                            GradientRequest.invCount(2L * TOKENS * WORKERS)),
                    TraceSink.NONE);
            gradients.add(result.gradients());
            losses.add(new WorkerLoss(result.lossSum(), result.targetCount()));
        }
        ReduceResult reduced = engine.reduce(
                engine.combine(gradients, CombineRule.of(Reduction.ORDERED, "ascending", WORKERS)),
                losses,
                Averaging.TOKENS,
                OPTIMIZER.maxNorm());
        engine.update(state, reduced.combined(), UpdateRequest.of(reduced, 1e-2, OPTIMIZER));
    }

    private static MicroBatch batch(int number) {
        int[] ids = new int[TOKENS];
        int[] targets = new int[TOKENS];
        for (int i = 0; i < TOKENS; i++) {
            ids[i] = (7 * i + 13 * number) % VOCAB;
            targets[i] = (7 * i + 13 * number + 5) % VOCAB;
        }
        return MicroBatch.of(new int[][] {ids}, new int[][] {targets});
    }
}
