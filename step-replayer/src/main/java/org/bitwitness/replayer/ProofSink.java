package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.trace.OperatorEvent;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.StepIndex;

/** Feeds the operators of the steps a unit is about to a {@link ProofBuilder}. */
@FunctionalInterface
interface ProofSink {
    ProofSink NONE = new ProofSink() {
        @Override
        public Heard at(StepIndex step) {
            return new Heard(TraceSink.NONE, () -> {});
        }

        @Override
        public boolean listens() {
            return false;
        }
    };

    /**
     * What is made of one worker's operators.
     *
     * @param sink hears them, beside the sinks of other workers
     * @param end to be called for one worker after the other: only then it counts
     */
    record Heard(TraceSink sink, Runnable end) {}

    /** For the operators of one worker of a step. */
    Heard at(StepIndex step);

    /** Whether anything is made of what is heard. */
    default boolean listens() {
        return true;
    }

    static ProofSink into(ProofBuilder builder) {
        return step -> {
            ProofBuilder.Part part = builder.new Part();
            return new Heard(event -> part.slots(address(step, event), outputs(event)), part::end);
        };
    }

    private static List<HostState.Slot> outputs(OperatorEvent event) {
        List<HostState.Slot> outputs = new ArrayList<>();
        for (int o = 0; o < event.outputs().size(); o++) {
            PlannedEntry.Output planned = event.entry().outputs().get(o);
            outputs.add(new HostState.Slot(
                    planned.name(), planned.shape(), event.outputs().get(o)));
        }
        return outputs;
    }

    private static ProofBuilder.Address address(StepIndex step, OperatorEvent event) {
        return new ProofBuilder.Address(
                step.value(),
                event.workerPosition(),
                event.entry().microBatch(),
                event.entry().index());
    }
}
