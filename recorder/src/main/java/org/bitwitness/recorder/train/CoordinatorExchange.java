package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.Messages;

/** The coordinator's part in making one gradient of all workers'. */
sealed interface CoordinatorExchange permits StarExchange, MeshExchange {
    /** Takes what follows a worker's message about its gradient; called for all workers at once. */
    void follow(int position, Connection connection, Messages.Gradient message) throws IOException;

    /** The combined gradient, once every worker's message has come and was found honest. */
    Reduced reduce(StepIndex step, List<Messages.Gradient> messages) throws RecorderException;

    /** Whether the coordinator gives the combined gradient to the workers; else they have it already. */
    boolean givesSums();

    /** Whether every worker keeps a share of the moments, and updates that alone. */
    boolean sharesState();

    /**
     * Outcome of the reduction.
     *
     * @param exponents root over the exponents of EXACT
     */
    record Reduced(ReduceResult result, Optional<Sha256> exponents) {}

    static List<WorkerLoss> losses(List<Messages.Gradient> messages) {
        return messages.stream()
                .map(m -> new WorkerLoss(m.lossSum(), m.targetCount()))
                .toList();
    }
}
