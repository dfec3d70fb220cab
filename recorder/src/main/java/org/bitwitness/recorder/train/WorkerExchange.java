package org.bitwitness.recorder.train;

import java.io.IOException;
import org.bitwitness.kernels.GradientListener;
import org.bitwitness.kernels.SegmentSum;
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

/** How a worker's gradient leaves it and the combined one arrives: by the coordinator, or directly between workers. */
sealed interface WorkerExchange extends AutoCloseable {
    /** Opens a step; the listener is told of gradients as they become final. */
    GradientListener begin(StepIndex step);

    /** Gives the gradient away, after the message about it has been sent. */
    void send(StepIndex step, Gradients own) throws IOException, ProtocolException;

    /** Makes the gradient the combined one; where the step is not valid its numbers are worth nothing. */
    void receive(boolean valid, Gradients into) throws IOException;

    @Override
    void close() throws IOException;

    /** All of it to the coordinator, and back. */
    record Star(Connection connection) implements WorkerExchange {
        @Override
        public GradientListener begin(StepIndex step) {
            return GradientListener.NONE;
        }

        @Override
        public void send(StepIndex step, Gradients own) throws IOException {
            connection.sendTensors(Worker.tensors(own));
        }

        @Override
        public void receive(boolean valid, Gradients into) throws IOException {
            if (valid) {
                connection.receiveTensors(Worker.tensors(into));
            }
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
                            replica.executor()));
        }

        @Override
        public GradientListener begin(StepIndex step) {
            return exchange.begin(step);
        }

        @Override
        public void send(StepIndex step, Gradients own) throws IOException {
            connection.receive(MessageType.EXCHANGE);
            DirectExchange.Combined combined = exchange.combine(step, own, replica.engine(), rule);
            connection.send(MessageType.SHARD, combined.shard().toBytes());
            for (SegmentSum sum : combined.sums()) {
                connection.sendFloats(sum.data(), 0, sum.data().length);
            }
            connection.flush();
        }

        @Override
        public void receive(boolean valid, Gradients into) throws IOException {
            exchange.awaitCombined();
        }

        @Override
        public void close() throws IOException {
            exchange.close();
        }
    }
}
