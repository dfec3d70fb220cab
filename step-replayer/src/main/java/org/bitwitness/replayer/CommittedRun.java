package org.bitwitness.replayer;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleForm;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.datasets.SampleRows;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TraceRebuilder;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * A recording read as what one commitment says it is. Step records, states, batches and traces come out of it only when
 * they hash to what the commitment commits to; everything else is {@link StoreDamage}.
 *
 * <p>One replay at a time.
 */
public final class CommittedRun implements AutoCloseable {
    private final RecordingReader reader;
    private final Path folder;
    private final Commitment commitment;
    private final RunFacts facts;
    private Optional<Dataset> dataset = Optional.empty();
    private Optional<SampleOrder> order = Optional.empty();
    private boolean stepsChecked;

    private CommittedRun(RecordingReader reader, Path folder, Commitment commitment) {
        this.reader = reader;
        this.folder = folder;
        this.commitment = commitment;
        this.facts = new RunFacts(reader.descriptor());
    }

    /**
     * Opens a recording.
     *
     * @param which the commitment to replay under; the last one when absent
     * @throws ReplayException if the folder is not a recording, or does not have that commitment
     */
    public static CommittedRun open(Path folder, Optional<CommitmentDigest> which) throws ReplayException {
        try {
            RecordingReader reader = RecordingReader.open(folder);
            return new CommittedRun(reader, folder, which.isPresent() ? find(reader, which.get()) : reader.last());
        } catch (ProtocolException e) {
            throw new ReplayException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Commitment find(RecordingReader reader, CommitmentDigest which) throws ReplayException {
        return reader.commitments().stream()
                .filter(commitment -> commitment.digest().equals(which))
                .findFirst()
                .orElseThrow(() -> new ReplayException(
                        "the recording should have commitment %s; it has %d others, the last being %s: fetch it again"
                                .formatted(
                                        which,
                                        reader.commitments().size(),
                                        reader.last().digest())));
    }

    public Descriptor descriptor() {
        return reader.descriptor();
    }

    /** The commitment that everything is compared with. */
    public Commitment commitment() {
        return commitment;
    }

    /** Steps 0 to this, exclusive, are committed. */
    public long endStep() {
        return commitment.endStep();
    }

    public OpenExt open() {
        return reader.open().open().orElseThrow();
    }

    RecordingReader reader() {
        return reader;
    }

    RunFacts facts() {
        return facts;
    }

    Path releasedFolder() {
        return folder.resolve(RecordingPaths.RELEASED);
    }

    StateRoot initialState() {
        return open().initialState();
    }

    /** The record of a step, under the commitment's root. */
    StepRecord record(StepIndex step) throws StoreDamage {
        try {
            if (!stepsChecked) {
                reader.checkSteps();
                stepsChecked = true;
            }
            return reader.stepRecord(step);
        } catch (ProtocolException e) {
            throw new StoreDamage("the recording on disk is not what was committed: " + e.getMessage(), e);
        }
    }

    boolean hasTraceRoots() {
        return descriptor().trace() != TracePolicy.NONE;
    }

    /**
     * The recorded trace of a worker, or nothing where the run keeps none.
     *
     * @throws StoreDamage if the stored trace is not the one that the step record commits to
     */
    Optional<List<TraceEntry>> trace(StepInputs in, int position) throws StoreDamage {
        if (descriptor().trace() != TracePolicy.OPERATORS) {
            return Optional.empty();
        }
        StepIndex step = in.record().step();
        WorkerRecord worker = in.record().workers().get(position);
        List<BatchShape> shapes =
                in.batches().get(position).stream().map(BatchShape::of).toList();
        try {
            List<List<Sha256>> outputs = reader.traceOutputs(step, worker.worker());
            WorkerTrace trace = TraceRebuilder.entries(facts.model(), shapes, position, outputs);
            TraceRoot root = trace.traceRoot();
            if (!worker.traceRoot().equals(Optional.of(root))) {
                throw new StoreDamage("the stored trace of worker %s in step %s hashes to %s, its record says %s"
                        .formatted(
                                worker.worker(),
                                step,
                                root,
                                worker.traceRoot().map(TraceRoot::toString).orElse("there is none")));
            }
            return Optional.of(trace.entries());
        } catch (ProtocolException | IllegalArgumentException e) {
            throw new StoreDamage(
                    "the stored trace of worker %s in step %s cannot be used: %s"
                            .formatted(worker.worker(), step, e.getMessage()),
                    e);
        }
    }

    /**
     * What is recorded of a step's gradients for detectors, by layout position; empty where the run keeps none.
     *
     * @throws StoreDamage if it is not what the step record commits to
     */
    Optional<List<DetectorInputs>> detectors(StepRecord record) throws StoreDamage {
        if (descriptor().detectors() == DetectorPolicy.NONE) {
            return Optional.empty();
        }
        try {
            List<DetectorInputs> inputs = reader.detectors(record.step());
            List<WorkerId> workers = inputs.stream().map(DetectorInputs::worker).toList();
            Sha256 digest = DetectorInputs.digest(inputs);
            if (!digest.equals(record.detectorDigest())
                    || !workers.equals(record.layout().workers())) {
                throw new StoreDamage(
                        "the detector inputs of step %s, of the workers %s, hash to %s, its record says %s"
                                .formatted(record.step(), workers, digest, record.detectorDigest()));
            }
            return Optional.of(inputs);
        } catch (ProtocolException e) {
            throw new StoreDamage("the detector inputs cannot be used: " + e.getMessage(), e);
        }
    }

    BatchSpec batchSpec() {
        return BatchSpec.of(descriptor().data());
    }

    /** Which sample is read when. */
    SampleOrder order() throws StoreDamage {
        if (order.isEmpty()) {
            try {
                order = Optional.of(
                        SampleOrder.of(descriptor().data(), dataset().manifest()));
            } catch (DatasetException e) {
                throw new StoreDamage("the data order cannot be had: " + e.getMessage(), e);
            }
        }
        return order.get();
    }

    SampleRows rows(long[] samples) throws StoreDamage {
        try {
            return dataset().rows(SampleForm.of(descriptor().data()), samples);
        } catch (DatasetException e) {
            throw new StoreDamage(
                    "the samples %s cannot be read: %s".formatted(Arrays.toString(samples), e.getMessage()), e);
        }
    }

    /** The dataset, whose root is the descriptor's. */
    Dataset dataset() throws StoreDamage {
        if (dataset.isPresent()) {
            return dataset.get();
        }
        try {
            Dataset opened = Dataset.open(folder.resolve(RecordingPaths.DATASET));
            if (!opened.root().equals(descriptor().data().datasetRoot())
                    || !opened.root().equals(open().datasetRoot())) {
                throw new StoreDamage("the dataset should have root %s, has %s: fetch it again"
                        .formatted(descriptor().data().datasetRoot(), opened.root()));
            }
            dataset = Optional.of(opened);
            return opened;
        } catch (DatasetException e) {
            throw new StoreDamage("the dataset cannot be used: " + e.getMessage(), e);
        }
    }

    /** The root that the commitment commits to for a state. */
    StateRoot committedRoot(StateIndex state) throws StoreDamage {
        if (state.value() == 0) {
            return initialState();
        }
        return state.value() == endStep()
                ? commitment.stateRoot()
                : record(new StepIndex(state.value())).stateRootBefore();
    }

    /** Which stored state a walk to {@code state} starts from. */
    StateIndex checkpointIndexAtOrBefore(StateIndex state) throws StoreDamage {
        try {
            return reader.nearestState(new StepIndex(state.value()))
                    .orElseThrow(() -> new StoreDamage(
                            "the recording keeps no state at or before %s, not even state 0".formatted(state)));
        } catch (ProtocolException e) {
            throw new StoreDamage("the stored states cannot be listed: " + e.getMessage(), e);
        }
    }

    /** The state that a walk to {@code state} replays its first whole step from. */
    StateIndex walkStart(StateIndex state) throws StoreDamage {
        return UpdateLog.isKept(this) ? state : checkpointIndexAtOrBefore(state);
    }

    /** That state, hashed and compared with its committed root. */
    LoadedState checkpointAtOrBefore(StateIndex state, Storage storage) throws StoreDamage {
        StateIndex index = checkpointIndexAtOrBefore(state);
        LoadedState loaded = Checkpoints.load(reader, facts, index, storage);
        StateRoot committed = committedRoot(index);
        if (!loaded.root().equals(committed)) {
            throw new StoreDamage(
                    "checkpoint %s should have state root %s, which is committed; the files hash to %s: fetch them again"
                            .formatted(index, committed, loaded.root()));
        }
        return loaded;
    }

    /** The stored state of this index if there is one and it hashes to {@code root}. */
    Optional<LoadedState> checkpointWithRoot(StateIndex index, StateRoot root, Storage storage) throws StoreDamage {
        try {
            if (!reader.stateIndexes().contains(index)) {
                return Optional.empty();
            }
        } catch (ProtocolException e) {
            throw new StoreDamage("the stored states cannot be listed: " + e.getMessage(), e);
        }
        LoadedState loaded = Checkpoints.load(reader, facts, index, storage);
        return loaded.root().equals(root) ? Optional.of(loaded) : Optional.empty();
    }

    /** The layout of the step before; the run's own before step 0. */
    Layout layoutBefore(StepIndex step) throws StoreDamage {
        return step.value() == 0
                ? descriptor().layout()
                : record(new StepIndex(step.value() - 1)).layout();
    }

    /** The most workers that a step may have. */
    int mostWorkers() {
        Descriptor d = descriptor();
        return d.elastic().map(ElasticSpec::plan).orElse(List.of()).stream()
                .mapToInt(change -> change.workers().size())
                .reduce(d.layout().size(), Math::max);
    }

    /** Parts that a walk from a stored state through {@code endStep} has at most, for progress. */
    long partsBetween(StateIndex from, long endStep) {
        long steps = Math.max(0, endStep - from.value());
        return steps * (mostWorkers() + 1L);
    }

    @Override
    public void close() throws ReplayException {
        if (dataset.isPresent()) {
            try {
                dataset.get().close();
            } catch (DatasetException e) {
                throw new ReplayException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    /** Everything a message says about where a root came from. */
    @Override
    public String toString() {
        return "run %s under commitment %d (steps 0 to %d)"
                .formatted(reader.runId(), commitment.sequence(), endStep() - 1);
    }
}
