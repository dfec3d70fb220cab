package org.bitwitness.cli.run.fetch;

import java.nio.file.Path;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleForm;
import org.bitwitness.datasets.ShardEntry;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * What a replay of some units reads: the stored state before each, the updates or else the traces and samples from there
 * on, the released files for FINAL. Step records are needed whole, because a record is proven by the tree over all.
 */
final class NeededFiles {
    private final RecordingReader reader;
    private final Collection<RecordingPath> listed;
    private final Set<RecordingPath> needed = new TreeSet<>();

    /**
     * @param reader of a copy that has descriptor, commitments and step records
     * @param listed every file that a commitment lists
     */
    NeededFiles(RecordingReader reader, Collection<RecordingPath> listed) {
        this.reader = reader;
        this.listed = listed;
    }

    /** Before a dataset's manifest is there: descriptor, step records, the manifest and the tokenizer. */
    static boolean isFrame(RecordingPath path) {
        return path.equals(RecordingPaths.DESCRIPTOR)
                || path.topFolder().equals(RecordingPaths.STEPS)
                || path.topFolder().equals(RecordingPaths.COMMITMENTS)
                || (path.topFolder().equals(RecordingPaths.DATASET)
                        && path.text().endsWith(".json"));
    }

    Set<RecordingPath> of(Collection<AuditUnit> units, Path datasetFolder)
            throws CommandFailure, DatasetException, ProtocolException {
        try (Dataset dataset = Dataset.open(datasetFolder)) {
            for (AuditUnit unit : units) {
                add(unit, dataset);
            }
        }
        return needed;
    }

    private void add(AuditUnit unit, Dataset dataset) throws CommandFailure, DatasetException, ProtocolException {
        switch (unit) {
            case AuditUnit.Init ignored -> addStates(0);
            case AuditUnit.Data data -> {
                ShardEntry shard = dataset.shard(data.shard());
                addDataset(shard.documentsFile());
                addDataset(shard.tokensFile());
            }
            case AuditUnit.Gradient gradient ->
                steps(gradient.step().value(), gradient.step().value() + 1, dataset);
            case AuditUnit.Reduce reduce ->
                steps(reduce.step().value(), reduce.step().value() + 1, dataset);
            case AuditUnit.Update update ->
                steps(update.step().value(), update.step().value() + 1, dataset);
            case AuditUnit.Step step -> steps(step.step().value(), step.step().value() + 1, dataset);
            case AuditUnit.Segment segment ->
                steps(segment.steps().firstStep(), segment.steps().endStep(), dataset);
            case AuditUnit.Final ignored -> {
                steps(reader.stepCount(), reader.stepCount(), dataset);
                addAll(path -> path.topFolder().equals(RecordingPaths.RELEASED));
            }
        }
    }

    private void steps(long first, long end, Dataset dataset)
            throws CommandFailure, DatasetException, ProtocolException {
        if (end > reader.stepCount()) {
            throw CommandFailure.usage(
                    "there is no step %d: the recording has %d".formatted(end - 1, reader.stepCount()));
        }
        long state = listed.stream()
                .map(RecordingPaths::stateIndex)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .filter(index -> index <= first)
                .max()
                .orElse(0);
        addStates(state);
        boolean updates = reader.descriptor().storage().updates() == UpdatePolicy.GRADIENTS;
        for (long t = state; t < end; t++) {
            if (updates && t < first) {
                RecordingPath update = RecordingPaths.update(t);
                addAll(update::equals);
            } else {
                replayed(new StepIndex(t), dataset);
            }
        }
    }

    private void replayed(StepIndex step, Dataset dataset) throws DatasetException, ProtocolException {
        RecordingPath traces =
                RecordingPaths.traces(reader.descriptor().storage().segmentStart(step.value()));
        addAll(traces::equals);
        RecordingPath detectors =
                RecordingPaths.detectors(reader.descriptor().storage().segmentStart(step.value()));
        addAll(detectors::equals);
        StepRecord record = reader.stepRecord(step);
        SampleForm form = SampleForm.of(reader.descriptor().data());
        for (WorkerRecord worker : record.workers()) {
            for (MicroBatchRecord batch : worker.microBatches()) {
                for (long sample : batch.sampleIds()) {
                    addDataset(
                            dataset.shard(dataset.place(form, sample).shard()).tokensFile());
                }
            }
        }
    }

    private void addStates(long index) {
        RecordingPath scalars = RecordingPaths.stateScalars(new StateIndex(index));
        String folder = scalars.text().substring(0, scalars.text().lastIndexOf('/') + 1);
        addAll(path -> path.text().startsWith(folder));
    }

    private void addDataset(String file) {
        String path = RecordingPaths.DATASET + "/" + file;
        addAll(one -> one.text().equals(path));
    }

    private void addAll(Predicate<RecordingPath> wanted) {
        listed.stream().filter(wanted).forEach(needed::add);
    }
}
