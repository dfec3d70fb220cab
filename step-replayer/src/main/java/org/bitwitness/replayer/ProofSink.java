package org.bitwitness.replayer;

import java.util.List;
import java.util.function.Supplier;
import org.bitwitness.kernels.trace.OperatorEvent;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.StepIndex;

/** Feeds the operators of the steps a unit is about to a {@link ProofBuilder}. */
@FunctionalInterface
interface ProofSink {
    ProofSink NONE = new ProofSink() {
        @Override
        public TraceSink at(StepIndex step) {
            return TraceSink.NONE;
        }

        @Override
        public boolean listens() {
            return false;
        }
    };

    /** The sink for the operators of one step. */
    TraceSink at(StepIndex step);

    /** Whether anything is made of what is heard. */
    default boolean listens() {
        return true;
    }

    static ProofSink into(ProofBuilder builder) {
        return step -> event -> {
            List<float[]> outputs = event.outputs().stream().map(Supplier::get).toList();
            builder.tensors(address(step, event), outputs);
        };
    }

    private static ProofBuilder.Address address(StepIndex step, OperatorEvent event) {
        return new ProofBuilder.Address(
                step.value(),
                event.workerPosition(),
                event.entry().microBatch(),
                event.entry().index());
    }
}
