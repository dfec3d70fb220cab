package org.bitwitness.recorder.train;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.RecordingWriter;
import org.bitwitness.protocol.format.StateFile;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.store.WriterLock;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.Recorder;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.RecorderSession;

/**
 * Where a run starts: a new recording with OPEN committed, or the last stored state of one that was cut off.
 *
 * @param recordedSteps steps that are recorded already
 * @param layouts of the steps from the replica's state on
 */
record RunStart(Replica replica, Recorder recorder, long recordedSteps, Layouts layouts, Path datasetFolder)
        implements AutoCloseable {

    /** All that a recording holds before OPEN is logged, by the first part of its path. */
    private static final Set<String> UNOPENED = Set.of(
            RecordingPaths.DESCRIPTOR.topFolder(),
            RecordingPaths.DATASET,
            RecordingPaths.STATES,
            RecordingPaths.COMMITMENTS);

    /**
     * Makes or opens the recording.
     *
     * @throws RecorderException also where another process writes it
     */
    static Locked open(TrainingRun run) throws RecorderException {
        if (!run.resume() && Files.exists(run.recording(), LinkOption.NOFOLLOW_LINKS)) {
            throw new RecorderException(
                    run.recording() + " exists: name a folder that does not, or go on with --resume");
        }
        try {
            FolderStore store = run.resume() ? FolderStore.open(run.recording()) : FolderStore.create(run.recording());
            return new Locked(store, store.lock());
        } catch (ProtocolException e) {
            throw RecorderException.of("the recording " + run.recording(), e);
        }
    }

    /** A recording that nobody else writes until it is closed. */
    record Locked(FolderStore store, WriterLock lock) implements AutoCloseable {
        @Override
        public void close() throws RecorderException {
            try {
                lock.closeAndRemove();
            } catch (IOException e) {
                throw RecorderException.io("unlocking " + store.root(), e);
            }
        }
    }

    static RunStart prepare(
            TrainingRun run, FolderStore store, TrainingMeans means, Dataset dataset, TrainingListener listener)
            throws RecorderException {
        try {
            return run.resume()
                    ? resume(run, means, dataset, listener, store)
                    : begin(run, means, dataset, listener, store);
        } catch (ProtocolException e) {
            throw RecorderException.of("the recording " + run.recording(), e);
        }
    }

    /** Parameters of a state under their names. */
    static List<F32Tensor> parameters(HostState state) {
        return tensors(state, true);
    }

    /** Moments of a state under their names. */
    static List<F32Tensor> moments(HostState state) {
        return tensors(state, false);
    }

    private static List<F32Tensor> tensors(HostState state, boolean parameters) {
        Set<String> names = new HashSet<>();
        state.manifest().parameters().forEach(p -> names.add(p.name()));
        return state.tensors().stream()
                .filter(tensor -> names.contains(tensor.name()) == parameters)
                .toList();
    }

    @Override
    public void close() throws RecorderException {
        replica.close();
        recorder.close();
    }

    private static RunStart begin(
            TrainingRun run, TrainingMeans means, Dataset dataset, TrainingListener listener, FolderStore store)
            throws RecorderException, ProtocolException {
        RecordingWriter writer = RecordingWriter.create(store, run.descriptor());
        for (String file : dataset.files()) {
            Path source = dataset.folder().resolve(file);
            writer.addFile(
                    RecordingPath.of(RecordingPaths.DATASET + "/" + file),
                    (OutputStream out) -> Files.copy(source, out));
        }
        Replica replica = Replica.initial(run.descriptor(), means.backend(), means.threads());
        boolean started = false;
        try {
            StateRoot root = replica.stateRoot();
            writer.writeState(
                    new StateIndex(0), parameters(replica.state()), moments(replica.state()), replica.scalars());
            DescriptorDigest digest = DescriptorJson.digest(run.descriptor());
            Commitment open = writer.open(run.open(digest, root));
            RecorderSession recorder = RecorderSession.open(parts(run, means, listener, store, writer), open);
            started = true;
            return new RunStart(
                    replica.record(means.recording()),
                    means.recording() == RecordingMode.STEPS ? recorder : new SilentRecorder(recorder),
                    0,
                    Layouts.ofNewRun(run.descriptor()),
                    store.root().resolve(RecordingPaths.DATASET));
        } finally {
            if (!started) {
                replica.close();
            }
        }
    }

    private static RunStart resume(
            TrainingRun run, TrainingMeans means, Dataset dataset, TrainingListener listener, FolderStore store)
            throws RecorderException, ProtocolException {
        if (means.recording() == RecordingMode.NOTHING) {
            throw new RecorderException("a run that records nothing has nothing to resume from: start a new one");
        }
        if (!store.exists(RecordingPaths.commitment(0))) {
            clear(store);
            return begin(run, means, dataset, listener, store);
        }
        RecordingReader before = RecordingReader.open(store);
        requireSameRun(run, before);
        RecordingWriter writer = RecordingWriter.resume(store);
        RecordingReader recorded = RecordingReader.open(store);
        StateIndex index = recorded.nearestState(new StepIndex(writer.stepCount()))
                .orElseThrow(() -> new RecorderException(run.recording() + " holds no state to resume from"));
        Replica replica;
        StateRoot root;
        try (StateFile state = recorded.state(index)) {
            replica = Replica.empty(run.descriptor(), means.backend(), means.threads(), state.scalars());
            fill(replica.state(), state);
            root = replica.stateRoot();
        }
        requireCommittedRoot(recorded, index, root);
        RecorderSession recorder = RecorderSession.resume(
                parts(run, means, listener, store, writer), recorded, new StepIndex(index.value()), root);
        Layouts layouts = Layouts.resumed(run.descriptor(), recorded, index.value());
        return new RunStart(
                replica, recorder, writer.stepCount(), layouts, store.root().resolve(RecordingPaths.DATASET));
    }

    private static RecorderSession.Parts parts(
            TrainingRun run,
            TrainingMeans means,
            TrainingListener listener,
            FolderStore store,
            RecordingWriter writer) {
        return new RecorderSession.Parts(store, run.descriptor(), writer, means.sink(), listener::committed);
    }

    private static void requireSameRun(TrainingRun run, RecordingReader before) throws RecorderException {
        if (!before.descriptor().equals(run.descriptor())) {
            throw new RecorderException(
                    ("%s was recorded with descriptor %s, this configuration gives %s: resume with the configuration it"
                                    + " was started with")
                            .formatted(
                                    run.recording(),
                                    before.descriptorDigest(),
                                    DescriptorJson.digest(run.descriptor())));
        }
        var open = before.open().open().orElseThrow();
        if (!open.equals(run.open(before.descriptorDigest(), open.initialState()))) {
            throw new RecorderException(run.recording()
                    + " was opened with another key or audit policy: resume with the one it was started" + " with");
        }
        if (before.last().isFinal()) {
            throw new RecorderException(run.recording() + " is finished: there is nothing to resume");
        }
    }

    /** State 0 is named by OPEN, every other by the record of the step before it. */
    private static void requireCommittedRoot(RecordingReader recorded, StateIndex index, StateRoot found)
            throws RecorderException, ProtocolException {
        StateRoot committed = index.value() == 0
                ? recorded.open().open().orElseThrow().initialState()
                : recorded.stepRecord(new StepIndex(index.value() - 1)).stateRootAfter();
        if (!committed.equals(found)) {
            throw new RecorderException("the stored state %s should have root %s, has %s: the store is damaged"
                    .formatted(index, committed, found));
        }
    }

    private static void fill(HostState into, StateFile state) throws ProtocolException {
        for (F32Tensor tensor : into.tensors()) {
            fill(tensor.data(), state, tensor.name());
        }
    }

    private static void fill(float[] into, StateFile state, String name) throws ProtocolException {
        float[] data = state.read(name);
        if (data.length != into.length) {
            throw ProtocolException.unequal(
                    "tensor %s should have %d elements, has %d", name, into.length, data.length);
        }
        System.arraycopy(data, 0, into, 0, into.length);
    }

    /** A run that was cut off before OPEN has committed to nothing: it starts again in the same folder. */
    private static void clear(FolderStore store) throws RecorderException, ProtocolException {
        List<RecordingPath> files = store.files();
        boolean begun = files.isEmpty() || files.contains(RecordingPaths.DESCRIPTOR);
        for (RecordingPath path : files) {
            if (!begun || !UNOPENED.contains(path.topFolder())) {
                throw new RecorderException(
                        "%s is no recording that was cut off: it holds %s. Nothing was deleted; name the folder of the run"
                                .formatted(store.root(), path));
            }
        }
        for (RecordingPath path : files) {
            store.delete(path);
        }
    }
}
