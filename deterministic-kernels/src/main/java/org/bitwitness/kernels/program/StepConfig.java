package org.bitwitness.kernels.program;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.OptimizerSpec;

/**
 * One training step, complete but for the state: what a configuration file of the conformance interface says.
 *
 * @param profile what tensors are stored as
 * @param model the model
 * @param manifest its parameters, in the file's order if it gives one
 * @param ropeTable path of a rotary table, relative to the configuration file
 * @param initial how {@code profile init} draws weights
 * @param seed key of the dropout generator
 * @param step t of the profile: update count after this step, from 1
 * @param learningRate binary64
 * @param optimizer AdamW or SGD
 * @param reduction how workers are combined
 * @param averaging TOKENS or WORKERS
 * @param workers per worker its micro-batches, in layout order
 */
public record StepConfig(
        NumericProfile profile,
        ModelConfig model,
        ParameterManifest manifest,
        Optional<String> ropeTable,
        HostState.InitialWeights initial,
        long seed,
        long step,
        double learningRate,
        OptimizerSpec optimizer,
        CombineRule reduction,
        Averaging averaging,
        List<List<MicroBatch>> workers) {
    public StepConfig {
        workers = workers.stream().map(List::copyOf).toList();
        if (step < 1 || step > 0xffff_ffffL) {
            throw new IllegalArgumentException("step counts from 1 to 2^32 - 1, got " + step);
        }
        if (workers.isEmpty() || workers.stream().anyMatch(List::isEmpty)) {
            throw new IllegalArgumentException("need at least one worker, each with at least one micro-batch");
        }
        if (reduction instanceof CombineRule.Robust robust) {
            AggregationSpec.requireAveraging(robust.rule(), averaging);
            robust.rule().requireWorkers(workers.size());
        }
    }

    /** Counted targets of the whole step. */
    public long targetCount() {
        return workers.stream()
                .flatMap(List::stream)
                .mapToLong(MicroBatch::targetCount)
                .sum();
    }
}
