package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.List;
import org.bitwitness.kernels.GradientListener;
import org.bitwitness.kernels.SegmentSum;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.recorder.exchange.DirectExchange;
import org.bitwitness.recorder.exchange.Mesh;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.StateMessages;

/** How a worker's gradient leaves it and the combined one arrives: by the coordinator, or directly between workers. */
sealed interface WorkerExchange extends AutoCloseable {
    /** Opens a step; the listener is told of gradients as they become final. */
    GradientListener begin(StepIndex step);

    /** Gives the gradient away, after the message about it has been sent. */
    void send(StepIndex step, Gradients own) throws IOException, ProtocolException;

    /**
     * Updates the state with the combined gradient.
     *
     * @param own given away before; the combined gradient may take its place
     * @return false where the step is INVALID, the state being as before
     */
    boolean update(Messages.Combined combined, Gradients own) throws IOException, ProtocolException;

    @Override
    void close() throws IOException;

    /** All of it to the coordinator, and back. */
    record Star(Connection connection, Replica replica) implements WorkerExchange {
        @Override
        public GradientListener begin(StepIndex step) {
            return GradientListener.NONE;
        }

        @Override
        public void send(StepIndex step, Gradients own) throws IOException {
            connection.sendTensors(Worker.tensors(own));
        }

        @Override
        public boolean update(Messages.Combined combined, Gradients own) throws IOException {
            if (combined.valid()) {
                connection.receiveTensors(Worker.tensors(own));
            }
            return combined.valid() && replica.update(own, request(combined, replica));
        }

        @Override
        public void close() {
            // The connection is not its own.
        }
    }

    /** To the workers that own its segments, and from them; the coordinator gets roots and this worker's sums. */
    record Direct(Connection connection, Replica replica, DirectExchange exchange, DirectExchange.Rule rule)
            implements WorkerExchange {
        static Direct join(Connection connection, Replica replica) throws IOException, ProtocolException {
            return join(connection, replica, true);
        }

        private static Direct join(Connection connection, Replica replica, boolean givesSums)
                throws IOException, ProtocolException {
            MeshMessages.Open open = MeshMessages.Open.read(connection.receive(MessageType.MESH_OPEN));
            ShardPlan plan = ShardPlan.of(replica.engine().manifest(), open.workers());
            Descriptor descriptor = replica.descriptor();
            return new Direct(
                    connection,
                    replica,
                    new DirectExchange(plan, open, Mesh.join(open, connection)),
                    new DirectExchange.Rule(
                            RunSetup.reduction(descriptor, replica.layout().size()),
                            descriptor.aggregation().averaging(),
                            givesSums,
                            replica.executor()));
        }

        @Override
        public GradientListener begin(StepIndex step) {
            return exchange.begin(step);
        }

        @Override
        public void send(StepIndex step, Gradients own) throws IOException {
            combine(step, own);
        }

        /** This worker's sums, by place. */
        private List<float[]> combine(StepIndex step, Gradients own) throws IOException {
            connection.receive(MessageType.EXCHANGE);
            DirectExchange.Combined combined = exchange.combine(step, own, replica.engine(), rule);
            connection.send(MessageType.SHARD, combined.shard().toBytes());
            for (SegmentSum sum : combined.sums()) {
                connection.sendFloats(sum.data(), 0, sum.data().length);
            }
            connection.flush();
            return combined.sums().stream().map(SegmentSum::data).toList();
        }

        @Override
        public boolean update(Messages.Combined combined, Gradients own) throws IOException {
            exchange.awaitCombined();
            return combined.valid() && replica.update(own, request(combined, replica));
        }

        @Override
        public void close() throws IOException {
            exchange.close();
        }
    }

    /**
     * As {@link Direct}, but nobody gets the sums: who owns a segment updates it, with the moments that it alone keeps, once all
     * have said that they can, and gives the new parameters to all.
     */
    final class Sharded implements WorkerExchange {
        private final Direct direct;
        private final OptimizerShare share;
        private List<float[]> sums = List.of();

        private Sharded(Direct direct, OptimizerShare share) {
            this.direct = direct;
            this.share = share;
        }

        static Sharded join(Connection connection, Replica replica, OptimizerShare share)
                throws IOException, ProtocolException {
            return new Sharded(Direct.join(connection, replica, false), share);
        }

        @Override
        public GradientListener begin(StepIndex step) {
            return direct.begin(step);
        }

        @Override
        public void send(StepIndex step, Gradients own) throws IOException {
            sums = direct.combine(step, own);
        }

        @Override
        public boolean update(Messages.Combined combined, Gradients own) throws IOException, ProtocolException {
            UpdateRequest request = request(combined, direct.replica());
            boolean valid = combined.valid();
            if (valid) {
                connection().send(MessageType.VOTE, StateMessages.writeFlag(share.updatable(sums, request)));
                valid = StateMessages.readFlag(connection().receive(MessageType.DECIDED));
            }
            if (!valid) {
                direct.exchange().end();
                return false;
            }
            share.update(sums, request);
            direct.exchange()
                    .giveParameters(combined.step(), sums, direct.replica().state()::parameter);
            direct.exchange().awaitCombined();
            return true;
        }

        private Connection connection() {
            return direct.connection();
        }

        @Override
        public void close() throws IOException {
            direct.close();
        }
    }

    private static UpdateRequest request(Messages.Combined combined, Replica replica) {
        return new UpdateRequest(
                combined.learningRate(), combined.clip(), replica.descriptor().optimizer());
    }

    /** The way that the job names. */
    static WorkerExchange join(Messages.Job job, Connection connection, WorkerState state)
            throws IOException, ProtocolException {
        if (!job.direct()) {
            return new Star(connection, state.replica());
        }
        return state.share().isPresent()
                ? Sharded.join(connection, state.replica(), state.share().get())
                : Direct.join(connection, state.replica());
    }
}
