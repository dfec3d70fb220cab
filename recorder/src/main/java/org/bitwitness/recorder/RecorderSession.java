package org.bitwitness.recorder;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.release.ReleasedFiles;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.RecordingWriter;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.format.StepTrace;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * Records a run into a folder. Builds the step records, stores states by the storage policy, and commits every
 * {@code commitEvery} steps. After a resume it first compares what it is told with what is recorded already.
 */
public final class RecorderSession implements Recorder {
    private final FolderStore store;
    private final Descriptor descriptor;
    private final RecordingWriter writer;
    private final CommitmentSink sink;
    private final CommitListener listener;
    /** Present while steps are repeated that a commitment covers already. */
    private final Optional<RecordingReader> recorded;

    private final Map<WorkerId, List<MicroBatchRecord>> batches = new TreeMap<>();
    private final Map<WorkerId, WorkerGradient> gradients = new TreeMap<>();
    private Optional<ReductionFacts> facts = Optional.empty();
    private long nextStep;
    private StateRoot root;
    private Layout layout;
    private Layout layoutBefore;
    private boolean wantsCheckpoint;
    private boolean updateKept;
    /** Stays set when a commitment failed: it may be public, so no other one may be made in its place. */
    private boolean committing;

    /** Hears of every commitment that is public. */
    @FunctionalInterface
    public interface CommitListener {
        void committed(Commitment commitment);
    }

    private RecorderSession(
            Parts parts, Optional<RecordingReader> recorded, long nextStep, StateRoot root, Layout layout) {
        this.store = parts.store();
        this.descriptor = parts.descriptor();
        this.writer = parts.writer();
        this.sink = parts.sink();
        this.listener = parts.listener();
        this.recorded = recorded;
        this.nextStep = nextStep;
        this.root = root;
        this.layout = layout;
        this.layoutBefore = layout;
    }

    /** What a session works with. */
    public record Parts(
            FolderStore store,
            Descriptor descriptor,
            RecordingWriter writer,
            CommitmentSink sink,
            CommitListener listener) {}

    /**
     * Starts recording after OPEN: signs and logs it and returns once that is done, so that no step can come before.
     *
     * @param parts whose writer holds descriptor, dataset and state 0
     * @param open made by the writer
     */
    public static RecorderSession open(Parts parts, Commitment open) throws RecorderException {
        StateRoot initial = open.open().orElseThrow().initialState();
        RecorderSession session = new RecorderSession(
                parts, Optional.empty(), 0, initial, parts.descriptor().layout());
        session.publish(open);
        return session;
    }

    /**
     * Goes on with a recording.
     *
     * @param recorded the recording up to its last commitment
     * @param nextStep first step that the trainer will repeat, at a stored state
     * @param root of that state
     * @throws ProtocolException if the record of the step before cannot be read
     */
    public static RecorderSession resume(Parts parts, RecordingReader recorded, StepIndex nextStep, StateRoot root)
            throws ProtocolException {
        return new RecorderSession(
                parts, Optional.of(recorded), nextStep.value(), root, recorded.layoutBefore(nextStep));
    }

    @Override
    public RunId runId() {
        return writer.runId();
    }

    @Override
    public StepIndex nextStep() {
        return new StepIndex(nextStep);
    }

    @Override
    public void layout(StepIndex step, Layout workers) {
        requireNow(step);
        if (!batches.isEmpty()) {
            throw new IllegalStateException("step %s has begun with workers %s".formatted(step, layout.workers()));
        }
        requirePermitted(step, workers);
        layout = workers;
    }

    private void requirePermitted(StepIndex step, Layout workers) {
        if (!descriptor.permits(workers, step, layoutBefore)) {
            throw new IllegalArgumentException(
                    "the step before %s has workers %s, and the descriptor does not let it have %s"
                            .formatted(step, layoutBefore.workers(), workers.workers()));
        }
    }

    @Override
    public void batch(StepIndex step, WorkerId worker, List<MicroBatchRecord> microBatches) {
        requireNow(step, worker);
        if (batches.put(worker, List.copyOf(microBatches)) != null) {
            throw new IllegalArgumentException("worker %s has a batch in step %s already".formatted(worker, step));
        }
    }

    @Override
    public void gradient(StepIndex step, WorkerId worker, WorkerGradient gradient) {
        requireNow(step, worker);
        if (gradients.put(worker, gradient) != null) {
            throw new IllegalArgumentException("worker %s has a gradient in step %s already".formatted(worker, step));
        }
    }

    @Override
    public void reduction(StepIndex step, ReductionFacts reduction) {
        requireNow(step);
        facts = Optional.of(reduction);
    }

    @Override
    public void combined(StepIndex step, List<F32Tensor> gradient) throws RecorderException {
        requireNow(step);
        ReductionFacts reduction = facts.orElseThrow(() ->
                new IllegalStateException("step %s has no reduction: call reduction before combined".formatted(step)));
        CombinedRoot found = new CombinedRoot(TensorDigests.tensorsRoot(gradient, Runnable::run));
        if (!keepsUpdates() || !reduction.valid() || !found.equals(reduction.combinedRoot())) {
            throw new IllegalArgumentException(
                    "step %s should bring the combined gradient %s of a valid step of a run that keeps updates, has %s"
                            .formatted(step, reduction.combinedRoot(), found));
        }
        try {
            if (step.value() >= writer.stepCount()) {
                writer.writeUpdate(step, gradient);
            }
        } catch (ProtocolException e) {
            throw RecorderException.of("storing the update of step " + step, e);
        }
        updateKept = true;
    }

    @Override
    public void stateAfter(StepIndex step, StateRoot after) throws RecorderException {
        requireNow(step);
        requirePermitted(step, layout);
        StepRecord record = record(step, after);
        if (updateKept != (keepsUpdates() && record.valid())) {
            throw new IllegalStateException("step %s is valid: %s, keeps updates: %s, but combined was called: %s"
                    .formatted(step, record.valid(), keepsUpdates(), updateKept));
        }
        try {
            if (step.value() < writer.stepCount()) {
                requireAsRecorded(record);
            } else {
                writer.appendStep(record, trace(step), DetectorParts.of(descriptor, layout, gradients));
            }
        } catch (ProtocolException e) {
            throw RecorderException.of("recording step " + step, e);
        }
        batches.clear();
        gradients.clear();
        facts = Optional.empty();
        updateKept = false;
        nextStep++;
        root = after;
        layoutBefore = layout;
        boolean repeated = nextStep <= recordedSteps();
        wantsCheckpoint = CheckpointRule.storesState(descriptor, nextStep) && !repeated;
        if (!wantsCheckpoint && !repeated) {
            commitWhereDue();
        }
    }

    @Override
    public boolean wantsCheckpoint() {
        return wantsCheckpoint;
    }

    @Override
    public void checkpoint(Scalars scalars, List<F32Tensor> parameters, List<F32Tensor> optimizer)
            throws RecorderException {
        if (!wantsCheckpoint) {
            throw new IllegalStateException("no checkpoint is wanted after step " + (nextStep - 1));
        }
        List<F32Tensor> all = new ArrayList<>(parameters);
        all.addAll(optimizer);
        Sha256 tensorsRoot = TensorDigests.tensorsRoot(all, Runnable::run);
        StateRoot found = scalars.stateRoot(descriptor.profile(), DescriptorJson.digest(descriptor), tensorsRoot);
        if (scalars.stateIndex().value() != nextStep || !found.equals(root)) {
            throw new IllegalArgumentException(
                    "the checkpoint should be state %d with root %s, is state %s with root %s"
                            .formatted(nextStep, root, scalars.stateIndex(), found));
        }
        try {
            writer.writeState(scalars.stateIndex(), parameters, optimizer, scalars);
        } catch (ProtocolException e) {
            throw RecorderException.of("storing state " + nextStep, e);
        }
        wantsCheckpoint = false;
        commitWhereDue();
    }

    @Override
    public void finish(List<F32Tensor> parameters, ModelIdentity identity) throws RecorderException {
        if (!CheckpointRule.isLast(descriptor, nextStep) || wantsCheckpoint) {
            throw new IllegalStateException("the run has %d steps, %d are recorded"
                    .formatted(descriptor.schedule().steps(), nextStep));
        }
        requireNoFailedCommitment();
        committing = true;
        try {
            for (Map.Entry<String, byte[]> file : ReleasedFiles.of(
                            descriptor, store.root().resolve(RecordingPaths.DATASET))
                    .entrySet()) {
                writer.addFile(RecordingPaths.released(file.getKey()), FileContent.of(file.getValue()));
            }
            writer.addFile(RecordingPaths.released(ReleasedFiles.WEIGHTS), out -> Safetensors.write(parameters, out));
            publish(writer.commit(root, Optional.of(identity.of(store.root().resolve(RecordingPaths.RELEASED)))));
        } catch (ProtocolException e) {
            throw RecorderException.of("writing the released model", e);
        } catch (DatasetException e) {
            throw RecorderException.of(e);
        }
    }

    /** Nothing is held open: what no commitment lists is removed by the next resume. */
    @Override
    public void close() {
        batches.clear();
        gradients.clear();
    }

    private void commitWhereDue() throws RecorderException {
        if (CheckpointRule.commits(descriptor, nextStep) && !CheckpointRule.isLast(descriptor, nextStep)) {
            committing = true;
            try {
                publish(writer.commit(root, Optional.empty()));
            } catch (ProtocolException e) {
                throw RecorderException.of("committing the steps before " + nextStep, e);
            }
        }
    }

    private void publish(Commitment commitment) throws RecorderException {
        CommitmentReceipt receipt = sink.commit(commitment);
        try {
            writer.writeCommitment(commitment, receipt.bundle().getBytes(StandardCharsets.UTF_8));
        } catch (ProtocolException e) {
            throw RecorderException.of("writing commitment " + commitment.sequence(), e);
        }
        committing = false;
        listener.committed(commitment);
    }

    private StepRecord record(StepIndex step, StateRoot after) {
        ReductionFacts reduction = facts.orElseThrow(() -> new IllegalStateException(
                "step %s has no reduction: call reduction before stateAfter".formatted(step)));
        List<WorkerRecord> workers = new ArrayList<>();
        for (WorkerId worker : layout.workers()) {
            List<MicroBatchRecord> read = batches.get(worker);
            WorkerGradient gradient = gradients.get(worker);
            if (read == null || gradient == null) {
                throw new IllegalStateException(
                        "worker %s has no %s in step %s".formatted(worker, read == null ? "batch" : "gradient", step));
            }
            boolean traced = descriptor.trace() != TracePolicy.NONE;
            if (traced != gradient.traceRoot().isPresent()) {
                throw new IllegalArgumentException("the trace policy is %s, worker %s comes with a trace root: %s"
                        .formatted(descriptor.trace().text(), worker, !traced));
            }
            workers.add(new WorkerRecord(
                    worker,
                    read,
                    gradient.gradientRoot(),
                    gradient.lossSum(),
                    gradient.targetCount(),
                    gradient.traceRoot()));
        }
        return new StepRecord(
                writer.runId(),
                step,
                reduction.valid(),
                root,
                after,
                layout,
                descriptor.reductionText(layout),
                descriptor.aggregation().averaging(),
                reduction.targetCount(),
                reduction.learningRate(),
                workers,
                reduction.combinedRoot(),
                reduction.exactExponentsRoot(),
                reduction.norm(),
                reduction.clip(),
                reduction.loss(),
                DetectorInputs.digest(DetectorParts.of(descriptor, layout, gradients)));
    }

    private Optional<StepTrace> trace(StepIndex step) {
        if (descriptor.trace() != TracePolicy.OPERATORS) {
            return Optional.empty();
        }
        Map<WorkerId, List<List<Sha256>>> outputs = new TreeMap<>();
        gradients.forEach((worker, gradient) -> outputs.put(worker, gradient.traceOutputs()));
        return Optional.of(new StepTrace(step, outputs));
    }

    private void requireAsRecorded(StepRecord again) throws ProtocolException, RecorderException {
        StepRecord before = recorded.orElseThrow().stepRecord(again.step());
        if (!before.equals(again)) {
            throw new RecorderException(
                    ("step %s comes out otherwise than it is recorded (state root %s, recorded %s): this machine or the"
                                    + " one before is faulty; replay the step to see which")
                            .formatted(again.step(), again.stateRootAfter(), before.stateRootAfter()));
        }
    }

    private boolean keepsUpdates() {
        return descriptor.storage().updates() == UpdatePolicy.GRADIENTS;
    }

    /** Steps that were recorded before this session began. */
    private long recordedSteps() {
        return recorded.map(RecordingReader::stepCount).orElse(0L);
    }

    private void requireNoFailedCommitment() {
        if (committing) {
            throw new IllegalStateException(
                    "the commitment before step %d failed: resume the run to make the same one again"
                            .formatted(nextStep));
        }
    }

    private void requireNow(StepIndex step, WorkerId worker) {
        requireNow(step);
        if (!layout.workers().contains(worker)) {
            throw new IllegalArgumentException("worker %s is not in the layout %s".formatted(worker, layout.workers()));
        }
    }

    private void requireNow(StepIndex step) {
        requireNoFailedCommitment();
        if (step.value() != nextStep || wantsCheckpoint) {
            throw new IllegalStateException(
                    wantsCheckpoint
                            ? "a checkpoint of state %d is wanted first".formatted(nextStep)
                            : "the recorder waits for step %d, got step %s".formatted(nextStep, step));
        }
    }
}
