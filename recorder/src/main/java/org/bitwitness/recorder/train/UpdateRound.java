package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.StateMessages;

/**
 * The update of one step at all workers. Each of them knows by itself whether the update of a whole state is valid; where every
 * worker has a share, all say first whether theirs can be updated, and no share is before the coordinator has heard of all.
 */
final class UpdateRound {
    private final WorkerGroup workers;
    private final Optional<Future<List<Boolean>>> votes;
    private final Optional<Future<List<StateMessages.Held>>> updated;

    private UpdateRound(
            WorkerGroup workers,
            Optional<Future<List<Boolean>>> votes,
            Optional<Future<List<StateMessages.Held>>> updated) {
        this.workers = workers;
        this.votes = votes;
        this.updated = updated;
    }

    /** Tells the workers what follows from the reduction. */
    static UpdateRound begin(
            WorkerGroup workers, CoordinatorExchange exchange, ReduceResult reduced, Messages.Combined message) {
        if (exchange.sharesState() && reduced.valid()) {
            return new UpdateRound(
                    workers,
                    Optional.of(workers.withEachLater((_, connection) -> {
                        connection.send(MessageType.COMBINED, message.toBytes());
                        return StateMessages.readFlag(connection.receive(MessageType.VOTE));
                    })),
                    Optional.empty());
        }
        return new UpdateRound(workers, Optional.empty(), Optional.of(workers.withEachLater((_, connection) -> {
            connection.send(MessageType.COMBINED, message.toBytes());
            if (reduced.valid() && exchange.givesSums()) {
                connection.sendTensors(Worker.tensors(reduced.combined()));
            }
            return held(connection);
        })));
    }

    /**
     * Goes on when the coordinator has updated its own state.
     *
     * @param valid whether it could
     * @return what every worker holds then
     */
    Future<List<StateMessages.Held>> decided(boolean valid, Layout layout) throws RecorderException {
        if (updated.isPresent()) {
            return updated.get();
        }
        List<Boolean> said = WorkerGroup.await(votes.orElseThrow());
        if (said.contains(false) == valid) {
            throw new RecorderException(
                    ("the update of this step is %s at the coordinator, and of the shares of workers %s those that can be"
                                    + " updated are %s: one of the machines or its Java is faulty; nothing after the last"
                                    + " commitment is kept")
                            .formatted(valid ? "valid" : "INVALID", layout.workers(), said));
        }
        return workers.withEachLater((_, connection) -> {
            connection.send(MessageType.DECIDED, StateMessages.writeFlag(valid));
            return held(connection);
        });
    }

    private static StateMessages.Held held(Connection connection) throws IOException, ProtocolException {
        return StateMessages.Held.read(connection.receive(MessageType.UPDATED));
    }
}
