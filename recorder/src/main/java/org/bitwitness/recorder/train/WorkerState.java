package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.StateMessages;

/**
 * What a worker holds of the state: all of it, or the parameters and a share of the moments.
 *
 * @param replica without moments where there is a share
 */
record WorkerState(Replica replica, Optional<OptimizerShare> share) implements AutoCloseable {
    /** All +0, to be filled. */
    static WorkerState of(Messages.Job job, Descriptor descriptor, BackendId backend, int threads) {
        if (job.share().isEmpty()) {
            return new WorkerState(Replica.empty(descriptor, backend, threads, job.scalars()), Optional.empty());
        }
        Replica parameters = Replica.withoutMoments(descriptor, backend, threads, job.scalars());
        return new WorkerState(
                parameters,
                Optional.of(OptimizerShare.empty(
                        parameters, job.layout().size(), job.share().getAsInt())));
    }

    /** In the order in which they are sent: the arrays themselves. */
    List<float[]> tensors() {
        List<float[]> all = new ArrayList<>(replica.tensors());
        share.ifPresent(own -> all.addAll(own.tensors()));
        return all;
    }

    StateMessages.Held held() {
        return share.filter(_ -> replica.isRecorded())
                .map(OptimizerShare::held)
                .orElseGet(() -> new StateMessages.Held(replica.stateRoot().digest(), List.of()));
    }

    /** Bytes of the moments that are here. */
    long momentBytes() {
        return share.map(OptimizerShare::bytes).orElseGet(() -> replica.state().momentBytes());
    }

    /** Plants what is to be planted after a step. */
    void plant(StepIndex step, Faults faults) {
        faults.state(step, replica.state());
        share.ifPresent(own -> faults.stateBits(step).forEach(own::flip));
    }

    @Override
    public void close() {
        replica.close();
    }
}
