package org.bitwitness.kernels.trace;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.protocol.Sha256;

/** Rebuilds trace entries from the program and the stored roots: a recording stores nothing else of a trace. */
public final class TraceRebuilder {
    private TraceRebuilder() {}

    /**
     * The trace of one worker.
     *
     * @param microBatches shapes in the worker's order
     * @param workerPosition position in the layout list
     * @param outputRoots per entry the roots of its outputs, as stored
     * @throws IllegalArgumentException if the numbers of entries or outputs are not the program's
     */
    public static WorkerTrace entries(
            ModelConfig model, List<BatchShape> microBatches, int workerPosition, List<List<Sha256>> outputRoots) {
        List<PlannedEntry> planned = TracePlan.ofShapes(model, microBatches).entries();
        if (planned.size() != outputRoots.size()) {
            throw new IllegalArgumentException("the program of this step has %d trace entries, the recording %d"
                    .formatted(planned.size(), outputRoots.size()));
        }
        List<TraceEntry> entries = new ArrayList<>();
        for (int i = 0; i < planned.size(); i++) {
            entries.add(new TraceEntry(planned.get(i), workerPosition, outputRoots.get(i)));
        }
        return new WorkerTrace(entries);
    }
}
