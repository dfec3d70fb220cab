package org.bitwitness.replayer;

import java.util.List;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;

/**
 * Everything a step reads, checked against what the step's record commits to.
 *
 * @param record what the trainer says about the step
 * @param scalars of the state before the step
 * @param state tensors before the step; a replay of the update changes a copy
 * @param batches micro-batches by layout position
 */
record StepInputs(StepRecord record, Scalars scalars, HostState state, List<List<MicroBatch>> batches) {

    int workers() {
        return batches.size();
    }

    long targetCount(int position) {
        return batches.get(position).stream().mapToLong(MicroBatch::targetCount).sum();
    }

    long targetCount() {
        long count = 0;
        for (int position = 0; position < workers(); position++) {
            count += targetCount(position);
        }
        return count;
    }

    long tokens(int position) {
        return batches.get(position).stream().mapToLong(MicroBatch::tokens).sum();
    }

    GradientRequest request(int position, long seed, boolean averagedOverWorkers) {
        long count = averagedOverWorkers ? targetCount(position) : targetCount();
        return new GradientRequest(
                state, seed, scalars.rngCounter(), position, batches.get(position), GradientRequest.invCount(count));
    }
}
