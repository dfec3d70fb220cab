package org.bitwitness.cli.run.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TracePlan;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * The stored outputs of every operator, put into the entries that the program of the descriptor gives, hash to the trace
 * root of the step record; the outputs of {@code emit} hash to the gradient root.
 */
final class TracesCheck implements Check {
    @Override
    public String name() {
        return "traces";
    }

    @Override
    public String file() {
        return RecordingPaths.TRACES;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        Descriptor descriptor = subject.descriptor();
        if (descriptor.trace() != TracePolicy.OPERATORS) {
            return "the descriptor's policy is %s: there is nothing to compare"
                    .formatted(descriptor.trace().text());
        }
        BatchShape shape = new BatchShape(
                descriptor.data().sequencesPerMicroBatch(), descriptor.data().contextLength());
        List<PlannedEntry> plan = TracePlan.ofShapes(
                        RunSetup.model(descriptor),
                        Collections.nCopies(descriptor.data().microBatches(), shape))
                .entries();
        long entries = 0;
        for (long t = 0; t < subject.reader().stepCount(); t++) {
            StepRecord record = subject.reader().stepRecord(new StepIndex(t));
            for (int position = 0; position < record.workers().size(); position++) {
                entries += check(subject, record, position, plan, findings);
            }
        }
        return "%d operators of %d steps".formatted(entries, subject.reader().stepCount());
    }

    private static int check(
            Subject subject, StepRecord record, int position, List<PlannedEntry> plan, Findings findings)
            throws ProtocolException {
        WorkerRecord worker = record.workers().get(position);
        long first = subject.descriptor().storage().segmentStart(record.step().value());
        String file = RecordingPaths.traces(first).text();
        String place = "step %s worker %s ".formatted(record.step(), worker.worker());
        List<List<Sha256>> outputs = subject.reader().traceOutputs(record.step(), worker.worker());
        findings.expect(file, place + "entries", plan.size(), outputs.size());
        if (plan.size() != outputs.size()) {
            return 0;
        }
        List<TraceEntry> entries = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            PlannedEntry planned = plan.get(i);
            if (planned.outputs().size() != outputs.get(i).size()) {
                findings.add(Difference.of(
                        file,
                        "%sentry %d (%s) outputs".formatted(place, i, planned.name()),
                        planned.outputs().size(),
                        outputs.get(i).size()));
                return 0;
            }
            entries.add(new TraceEntry(planned, position, outputs.get(i)));
        }
        WorkerTrace trace = new WorkerTrace(entries);
        worker.traceRoot().ifPresent(root -> findings.expect(file, place + "traceRoot", root, trace.traceRoot()));
        findings.expect(file, place + "outputs of emit", worker.gradientRoot(), trace.gradientRoot());
        return entries.size();
    }
}
