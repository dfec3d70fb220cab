package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.program.HostState;

/**
 * The gradient of one worker.
 *
 * @param state parameters before the step; not changed
 * @param seed the run's dropout seed
 * @param rngCounter t of the dropout counter: update count + 1
 * @param workerPosition position of the worker in the layout list, from 0 (not its id)
 * @param microBatches in the worker's order, at least one
 * @param invCount (float)(1.0/count): count of the whole step (TOKENS) or of this worker (WORKERS)
 */
public record GradientRequest(
        HostState state,
        long seed,
        long rngCounter,
        int workerPosition,
        List<MicroBatch> microBatches,
        float invCount) {
    public GradientRequest {
        microBatches = List.copyOf(microBatches);
        if (microBatches.isEmpty()) {
            throw new IllegalArgumentException("a worker needs at least one micro-batch");
        }
    }

    /** (float)(1.0/count). */
    public static float invCount(long targetCount) {
        return (float) (1.0 / (double) targetCount);
    }

    /** What the operators of one of the micro-batches read beside tensors. */
    OperatorContext context(int microBatch) {
        return new OperatorContext(
                microBatches.get(microBatch), seed, rngCounter, workerPosition, microBatch, invCount);
    }
}
