package org.bitwitness.protocol.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepChain;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * Writes a recording. The order of a run:
 *
 * <pre>
 * create → addFile (dataset) → writeState(0) → open → (log it) → writeCommitment
 *   → appendStep … writeState … → commit → (log it) → writeCommitment → …
 *   → addFile (released) → commit with a released root → (log it) → writeCommitment
 * </pre>
 *
 * Steps are buffered and written as whole files, so a crash loses steps but never leaves half of one. Files written
 * since the last commitment are removed by {@link #resume}. Not safe for use by several threads.
 */
public final class RecordingWriter {
    private final RecordingStore store;
    private final Descriptor descriptor;
    private final Map<RecordingPath, FileEntry> newFiles = new TreeMap<>();
    private final List<StepRecord> steps = new ArrayList<>();
    private final List<StepTrace> traces = new ArrayList<>();
    private final Map<StepIndex, List<DetectorInputs>> detectors = new TreeMap<>();
    private Optional<Commitment> last = Optional.empty();
    private Optional<StepChain> chain = Optional.empty();

    private RecordingWriter(RecordingStore store, Descriptor descriptor) {
        this.store = store;
        this.descriptor = descriptor;
    }

    /** Starts a recording in an empty store. */
    public static RecordingWriter create(RecordingStore store, Descriptor descriptor) throws ProtocolException {
        RecordingWriter writer = new RecordingWriter(store, descriptor);
        writer.addFile(RecordingPaths.DESCRIPTOR, FileContent.of(DescriptorJson.write(descriptor)));
        return writer;
    }

    /**
     * Goes on after the last commitment of a recording that was cut off. Files that no commitment lists are deleted;
     * the next step is {@link #stepCount}.
     */
    public static RecordingWriter resume(RecordingStore store) throws ProtocolException {
        RecordingReader reader = RecordingReader.open(store);
        if (reader.last().isFinal()) {
            throw new ProtocolException(
                    ProtocolException.Kind.ENVIRONMENT, store.describe() + " is finished: there is nothing to resume");
        }
        reader.checkSteps();
        RecordingWriter writer = new RecordingWriter(store, reader.descriptor());
        StepChain chain = new StepChain(reader.runId());
        for (long step = 0; step < reader.stepCount(); step++) {
            chain.add(reader.stepRecord(new StepIndex(step)));
        }
        writer.chain = Optional.of(chain);
        writer.last = Optional.of(reader.last());
        writer.deleteUncommitted(reader.commitments());
        return writer;
    }

    /** Steps so far, buffered ones included. */
    public long stepCount() {
        return chain.map(StepChain::stepCount).orElse(0L);
    }

    public RunId runId() {
        return requireOpen().runId();
    }

    /** Adds a file under {@code dataset/}, {@code released/} or {@code telemetry/}. */
    public FileEntry addFile(RecordingPath path, FileContent content) throws ProtocolException {
        FileEntry entry = store.write(path, content);
        newFiles.put(path, entry);
        return entry;
    }

    /** Writes the three files of a state. */
    public void writeState(StateIndex index, List<F32Tensor> parameters, List<F32Tensor> optimizer, Scalars scalars)
            throws ProtocolException {
        if (!scalars.stateIndex().equals(index)) {
            throw new IllegalArgumentException(
                    "scalars of state %s for state %s".formatted(scalars.stateIndex(), index));
        }
        addFile(RecordingPaths.stateModel(index), out -> Safetensors.write(parameters, out));
        addFile(RecordingPaths.stateOptimizer(index), out -> Safetensors.write(optimizer, out));
        addFile(RecordingPaths.stateScalars(index), FileContent.of(ScalarsJson.write(scalars)));
    }

    /** Writes the combined gradient of the next step; for the update policy gradients only. */
    public void writeUpdate(StepIndex step, List<F32Tensor> combined) throws ProtocolException {
        if (descriptor.storage().updates() != UpdatePolicy.GRADIENTS || step.value() != stepCount()) {
            throw new IllegalArgumentException("the update policy is %s and the next step %d, got an update of step %s"
                    .formatted(descriptor.storage().updates().text(), stepCount(), step));
        }
        addFile(RecordingPaths.update(step.value()), out -> UpdateFile.write(step, combined, out));
    }

    /** Makes OPEN over the files so far. It is written by {@link #writeCommitment}. */
    public Commitment open(OpenExt ext) {
        if (last.isPresent()) {
            throw new IllegalStateException("the recording is open already");
        }
        return Commitment.open(List.copyOf(newFiles.values()), ext);
    }

    /** Appends the next step of a run that records nothing for detectors. */
    public void appendStep(StepRecord record, Optional<StepTrace> trace) throws ProtocolException {
        appendStep(record, trace, List.of());
    }

    /**
     * Appends the next step. Its trace is written only under the trace policy operators, and required then.
     *
     * @param inputs for detectors, which the record's detectorDigest is of; none without a policy for them
     */
    public void appendStep(StepRecord record, Optional<StepTrace> trace, List<DetectorInputs> inputs)
            throws ProtocolException {
        requireOpen();
        if (inputs.isEmpty() != (descriptor.detectors() == DetectorPolicy.NONE)) {
            throw new IllegalArgumentException("the detector policy is %s, step %s comes with the inputs of %d workers"
                    .formatted(descriptor.detectors().text(), record.step(), inputs.size()));
        }
        if (record.step().value() != stepCount() || !record.runId().equals(runId())) {
            throw new IllegalArgumentException("expected step %d of run %s, got step %s of run %s"
                    .formatted(stepCount(), runId(), record.step(), record.runId()));
        }
        boolean keepTrace = descriptor.trace() == TracePolicy.OPERATORS;
        if (keepTrace != trace.isPresent()
                || trace.stream().anyMatch(t -> !t.step().equals(record.step()))) {
            throw new IllegalArgumentException("the trace policy is %s, step %s comes with a trace: %s"
                    .formatted(descriptor.trace().text(), record.step(), trace.isPresent()));
        }
        chain.orElseThrow().add(record);
        steps.add(record);
        trace.ifPresent(traces::add);
        if (!inputs.isEmpty()) {
            detectors.put(record.step(), List.copyOf(inputs));
        }
        if (stepCount() % descriptor.storage().stepsPerSegment() == 0) {
            flush();
        }
    }

    /** Writes buffered steps and makes the next commitment; a released root makes it the final one. */
    public Commitment commit(StateRoot state, Optional<ReleasedRoot> releasedRoot) throws ProtocolException {
        Commitment previous = requireOpen();
        flush();
        return previous.next(chain.orElseThrow(), state, releasedRoot, List.copyOf(newFiles.values()));
    }

    /**
     * Writes a commitment that was signed and logged. The next commitment lists the bundle, which cannot list itself.
     *
     * @param bundle the signed bundle's bytes
     */
    public void writeCommitment(Commitment commitment, byte[] bundle) throws ProtocolException {
        if (bundle.length > RecordingReader.MAX_BUNDLE_BYTES) {
            throw ProtocolException.overLimit(
                    "the bundle of commitment %d has %d bytes, at most %d can be read back: commit more often",
                    commitment.sequence(), bundle.length, RecordingReader.MAX_BUNDLE_BYTES);
        }
        FileEntry bundleEntry =
                store.write(RecordingPaths.commitmentBundle(commitment.sequence()), FileContent.of(bundle));
        store.write(RecordingPaths.commitment(commitment.sequence()), FileContent.of(commitment.toBytes()));
        newFiles.clear();
        newFiles.put(bundleEntry.path(), bundleEntry);
        last = Optional.of(commitment);
        if (chain.isEmpty()) {
            chain = Optional.of(new StepChain(commitment.runId()));
        }
    }

    private void flush() throws ProtocolException {
        if (steps.isEmpty()) {
            return;
        }
        long first = steps.getFirst().step().value();
        List<StepRecord> records = List.copyOf(steps);
        List<StepTrace> outputs = List.copyOf(traces);
        if (first % descriptor.storage().stepsPerSegment() != 0) {
            throw new IllegalStateException("a commitment inside a segment must be the last: step " + first);
        }
        if (!outputs.isEmpty()) {
            addFile(RecordingPaths.traces(first), out -> TraceSegment.write(outputs, out));
        }
        if (!detectors.isEmpty()) {
            Map<StepIndex, List<DetectorInputs>> inputs = new TreeMap<>(detectors);
            addFile(RecordingPaths.detectors(first), out -> DetectorSegment.write(inputs, out));
        }
        addFile(RecordingPaths.steps(first), out -> StepSegment.write(records, out));
        steps.clear();
        traces.clear();
        detectors.clear();
    }

    private void deleteUncommitted(List<Commitment> commitments) throws ProtocolException {
        Map<RecordingPath, FileEntry> listed = new TreeMap<>();
        commitments.forEach(commitment -> commitment.newFiles().forEach(file -> listed.put(file.path(), file)));
        RecordingPath lastBundle =
                RecordingPaths.commitmentBundle(commitments.getLast().sequence());
        for (RecordingPath path : store.files()) {
            boolean commitmentFile =
                    RecordingPaths.commitmentSequence(path).orElse(Long.MAX_VALUE) < commitments.size();
            if (path.equals(lastBundle)) {
                newFiles.put(path, store.entry(path));
            } else if (!listed.containsKey(path)
                    && !commitmentFile
                    && !path.topFolder().equals(RecordingPaths.TELEMETRY)) {
                store.delete(path);
            }
        }
    }

    private Commitment requireOpen() {
        return last.orElseThrow(() -> new IllegalStateException("write OPEN before the first step"));
    }
}
