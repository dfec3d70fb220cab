package org.bitwitness.protocol.format;

import java.util.List;
import java.util.Map;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;

/**
 * Roots of every operator's outputs in one step. Everything else of a trace entry follows from the descriptor.
 *
 * @param outputs for each worker, for each entry of its trace, the roots of the entry's outputs in order
 */
public record StepTrace(StepIndex step, Map<WorkerId, List<List<Sha256>>> outputs) {
    public StepTrace {
        outputs = Map.copyOf(outputs);
    }
}
