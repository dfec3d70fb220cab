package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.record.Averaging;

/** Runs a whole step of a configuration in one process: every worker after the other, then reduction and update. */
public final class StepRunner {
    private StepRunner() {}

    /**
     * What a step did.
     *
     * @param workers each worker's gradient, in layout order
     * @param reduction combined gradient, norm, clip and loss
     * @param valid false when the step is INVALID: the state is as before
     */
    public record Outcome(List<GradientResult> workers, ReduceResult reduction, boolean valid) {
        public Outcome {
            workers = List.copyOf(workers);
        }
    }

    /**
     * Executes the step.
     *
     * @param state before the step, changed in place; its update count must be the configuration's step − 1
     * @throws IllegalArgumentException if engine, configuration and state do not belong together
     */
    public static Outcome run(StepEngine engine, StepConfig config, HostState state) {
        if (!engine.model().equals(config.model())) {
            throw new IllegalArgumentException("the engine was made for another model");
        }
        if (state.updateCount() != config.step() - 1) {
            throw new IllegalArgumentException("step %d follows %d updates, the state has had %d"
                    .formatted(config.step(), config.step() - 1, state.updateCount()));
        }
        boolean finite = engine.allFinite(state);
        List<GradientResult> workers = new ArrayList<>();
        for (int w = 0; w < config.workers().size(); w++) {
            workers.add(engine.gradient(request(config, state, w), TraceSink.NONE));
        }
        List<Gradients> gradients =
                workers.stream().map(GradientResult::gradients).toList();
        List<WorkerLoss> losses = workers.stream()
                .map(r -> new WorkerLoss(r.lossSum(), r.targetCount()))
                .toList();
        ReduceResult reduction = engine.reduce(
                engine.combine(gradients, config.reduction()),
                losses,
                config.averaging(),
                config.optimizer().maxNorm());
        boolean valid = finite
                && reduction.valid()
                && engine.update(
                                state,
                                reduction.combined(),
                                UpdateRequest.of(reduction, config.learningRate(), config.optimizer()))
                        == UpdateResult.UPDATED;
        return new Outcome(workers, reduction, valid);
    }

    private static GradientRequest request(StepConfig config, HostState state, int worker) {
        List<MicroBatch> microBatches = config.workers().get(worker);
        long count = config.averaging() == Averaging.TOKENS
                ? config.targetCount()
                : microBatches.stream().mapToLong(MicroBatch::targetCount).sum();
        return new GradientRequest(
                state, config.seed(), config.step(), worker, microBatches, GradientRequest.invCount(count));
    }
}
