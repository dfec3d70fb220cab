package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.Messages;

/** The coordinator receives every gradient whole, checks that it is the one that the worker names, and combines them. */
final class StarExchange implements CoordinatorExchange {
    private final Replica replica;
    private final List<Gradients> gradients = new ArrayList<>();

    StarExchange(Replica replica) {
        this.replica = replica;
        for (int i = 0; i < replica.layout().size(); i++) {
            gradients.add(Gradients.zero(replica.engine().manifest()));
        }
    }

    @Override
    public void follow(int position, Connection connection, Messages.Gradient message) throws IOException {
        Gradients into = gradients.get(position);
        connection.receiveTensors(Worker.tensors(into));
        if (!replica.isRecorded()) {
            return;
        }
        GradientRoot found = TensorRoots.gradient(into, Runnable::run);
        if (!found.equals(message.gradientRoot())) {
            throw new IOException("its gradient of step %s should have root %s, what arrived has %s"
                    .formatted(message.step(), message.gradientRoot(), found));
        }
    }

    @Override
    public Reduced reduce(StepIndex step, List<Messages.Gradient> messages) {
        Descriptor descriptor = replica.descriptor();
        CombineResult combined = replica.engine()
                .combine(
                        gradients,
                        RunSetup.reduction(descriptor, replica.layout().size()));
        return new Reduced(
                replica.engine()
                        .reduce(
                                combined,
                                CoordinatorExchange.losses(messages),
                                descriptor.aggregation().averaging(),
                                descriptor.optimizer().maxNorm()),
                combined.exponentsRoot());
    }

    @Override
    public boolean givesSums() {
        return true;
    }

    @Override
    public boolean sharesState() {
        return false;
    }
}
