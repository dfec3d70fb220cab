package org.bitwitness.kernels.trace;

import java.util.List;
import java.util.function.Supplier;

/**
 * One operator was executed.
 *
 * @param entry what the plan says about it
 * @param workerPosition position of the worker in the layout list
 * @param outputs one per output of the entry; each gives the data on the host, valid until the sink returns, not to be
 *     changed
 */
public record OperatorEvent(PlannedEntry entry, int workerPosition, List<Supplier<float[]>> outputs) {
    public OperatorEvent {
        outputs = List.copyOf(outputs);
        if (outputs.size() != entry.outputs().size()) {
            throw new IllegalArgumentException("entry %d has %d outputs, the event %d"
                    .formatted(entry.index(), entry.outputs().size(), outputs.size()));
        }
    }
}
