package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.trace.OperatorEvent;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceSink;

/** Walks the plan of a trace beside the execution; without a sink nothing is done. */
final class Tracer {
    private final Backend backend;
    private final int workerPosition;
    private final Optional<TraceSink> sink;
    private final List<PlannedEntry> plan;
    private int next;

    Tracer(Backend backend, int workerPosition, TraceSink trace, List<PlannedEntry> plan) {
        this.backend = backend;
        this.workerPosition = workerPosition;
        this.sink = trace.equals(TraceSink.NONE) ? Optional.empty() : Optional.of(trace);
        this.plan = plan;
    }

    void record(List<Tensor> outputs) {
        if (sink.isEmpty()) {
            return;
        }
        List<Supplier<float[]>> data = new ArrayList<>();
        outputs.forEach(tensor -> data.add(() -> backend.fetch(tensor)));
        event(data);
    }

    void emit(Gradients gradients) {
        if (sink.isEmpty()) {
            return;
        }
        List<Supplier<float[]>> data = new ArrayList<>();
        for (int i = 0; i < gradients.manifest().count(); i++) {
            int index = i;
            data.add(() -> gradients.tensor(index));
        }
        event(data);
    }

    private void event(List<Supplier<float[]>> data) {
        PlannedEntry entry = plan.get(next++);
        sink.ifPresent(s -> s.operator(new OperatorEvent(entry, workerPosition, data)));
    }
}
