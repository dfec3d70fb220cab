package org.bitwitness.protocol.format;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.StepChain;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.tensor.Shape;

/**
 * Reads a recording, which is hostile input. Opening checks that the commitments form one chain from OPEN and that OPEN
 * names this descriptor. Step records are checked against the commitments by {@link #checkSteps}; signatures and file
 * hashes are not checked here.
 *
 * <p>Steps that no commitment covers do not exist for this reader. Safe for use by several threads.
 */
public final class RecordingReader {
    private static final int MAX_DESCRIPTOR_BYTES = 1 << 20;
    private static final int MAX_COMMITMENT_BYTES = 1 << 28;
    /** A bundle repeats its commitment, with every new file; the same limit as for bundles elsewhere. */
    static final int MAX_BUNDLE_BYTES = 8 << 20;

    private static final int CACHED_SEGMENTS = 4;

    private final RecordingStore store;
    private final Descriptor descriptor;
    private final DescriptorDigest descriptorDigest;
    private final List<Commitment> commitments;
    private final Map<RecordingPath, List<StepRecord>> steps = lru();
    private final Map<RecordingPath, Map<StepIndex, StepTrace>> traces = lru();
    private final Map<RecordingPath, Map<StepIndex, List<DetectorInputs>>> detectors = lru();

    private RecordingReader(
            RecordingStore store, Descriptor descriptor, DescriptorDigest digest, List<Commitment> commitments) {
        this.store = store;
        this.descriptor = descriptor;
        this.descriptorDigest = digest;
        this.commitments = List.copyOf(commitments);
    }

    public static RecordingReader open(Path folder) throws ProtocolException {
        return open(FolderStore.open(folder));
    }

    public static RecordingReader open(RecordingStore store) throws ProtocolException {
        boolean hasDescriptor = store.exists(RecordingPaths.DESCRIPTOR);
        boolean hasOpen = store.exists(RecordingPaths.commitment(0));
        if (!hasDescriptor && !hasOpen) {
            throw new ProtocolException(
                    ProtocolException.Kind.ENVIRONMENT,
                    store.describe() + " is not a recording: it has neither descriptor.json nor commitments/0000.bin");
        }
        byte[] bytes = store.readAll(RecordingPaths.DESCRIPTOR, MAX_DESCRIPTOR_BYTES);
        DescriptorDigest digest = new DescriptorDigest(Hashing.sha256(bytes));
        List<Commitment> commitments = readCommitments(store);
        DescriptorDigest committed = commitments.getFirst().open().orElseThrow().descriptorDigest();
        Descriptor descriptor = DescriptorJson.read(bytes);
        if (!committed.equals(digest)) {
            throw ProtocolException.unequal(
                    "descriptor.json: should have SHA-256 %s, which OPEN commits to, has %s", committed, digest);
        }
        return new RecordingReader(store, descriptor, digest, commitments);
    }

    public RecordingStore store() {
        return store;
    }

    public Descriptor descriptor() {
        return descriptor;
    }

    public DescriptorDigest descriptorDigest() {
        return descriptorDigest;
    }

    public RunId runId() {
        return commitments.getFirst().runId();
    }

    /** All commitments, OPEN first. */
    public List<Commitment> commitments() {
        return commitments;
    }

    /** The first commitment. */
    public Commitment open() {
        return commitments.getFirst();
    }

    /** The last commitment so far. */
    public Commitment last() {
        return commitments.getLast();
    }

    /** Committed steps: 0 to this, exclusive. */
    public long stepCount() {
        return last().endStep();
    }

    /** The record of a committed step. */
    public StepRecord stepRecord(StepIndex step) throws ProtocolException {
        requireCommitted(step);
        long first = segmentStart(step);
        List<StepRecord> segment = segment(first);
        int row = Math.toIntExact(step.value() - first);
        if (row >= segment.size()) {
            throw ProtocolException.missing(
                    "%s: step %s is missing, the file ends after step %d",
                    RecordingPaths.steps(first), step, first + segment.size() - 1);
        }
        return segment.get(row);
    }

    /** The layout of the step before; the descriptor's before step 0. */
    public Layout layoutBefore(StepIndex step) throws ProtocolException {
        return step.value() == 0
                ? descriptor.layout()
                : stepRecord(new StepIndex(step.value() - 1)).layout();
    }

    /**
     * Compares the step records with every commitment's tree root and chain hash.
     *
     * @throws ProtocolException of kind UNEQUAL, naming the first commitment that does not hold
     */
    public void checkSteps() throws ProtocolException {
        StepChain chain = new StepChain(runId());
        for (Commitment commitment : commitments) {
            while (chain.stepCount() < commitment.endStep()) {
                chain.add(stepRecord(new StepIndex(chain.stepCount())));
            }
            if (!chain.stepsRoot().equals(commitment.stepsRoot())
                    || !chain.chainHash().equals(commitment.chainHash())) {
                throw ProtocolException.unequal(
                        "commitments/%04d.bin: commits to steps 0 to %d with root %s, the step records give %s: a"
                                + " record was changed, inserted or removed",
                        commitment.sequence(), commitment.endStep() - 1, commitment.stepsRoot(), chain.stepsRoot());
            }
        }
    }

    /** Stored states up to the last committed step, ascending. */
    public List<StateIndex> stateIndexes() throws ProtocolException {
        TreeSet<Long> indexes = new TreeSet<>();
        for (RecordingPath path : store.files()) {
            OptionalLong index = RecordingPaths.stateIndex(path);
            if (index.isPresent() && index.getAsLong() <= stepCount()) {
                indexes.add(index.getAsLong());
            }
        }
        return indexes.stream().map(StateIndex::new).toList();
    }

    /** The nearest stored state at or before the one that a step starts from. */
    public Optional<StateIndex> nearestState(StepIndex step) throws ProtocolException {
        return stateIndexes().stream()
                .filter(index -> index.value() <= step.value())
                .reduce((earlier, later) -> later);
    }

    /** Opens a stored state; the caller closes it. */
    public StateFile state(StateIndex index) throws ProtocolException {
        return StateFile.open(store, index);
    }

    /** Roots of every operator's outputs, for each entry of a worker's trace; needs the trace policy operators. */
    public List<List<Sha256>> traceOutputs(StepIndex step, WorkerId worker) throws ProtocolException {
        requireCommitted(step);
        RecordingPath path = RecordingPaths.traces(segmentStart(step));
        return Optional.ofNullable(traceSegment(path).get(step))
                .flatMap(trace -> Optional.ofNullable(trace.outputs().get(worker)))
                .orElseThrow(
                        () -> ProtocolException.missing("%s: worker %s of step %s is missing", path, worker, step));
    }

    /**
     * What is recorded of a step's gradients for detectors, in the order of the layout; needs a detector policy. Whoever
     * builds on it compares its digest with the step record's detectorDigest first.
     */
    public List<DetectorInputs> detectors(StepIndex step) throws ProtocolException {
        requireCommitted(step);
        RecordingPath path = RecordingPaths.detectors(segmentStart(step));
        return Optional.ofNullable(detectorSegment(path).get(step))
                .map(List::copyOf)
                .orElseThrow(() -> ProtocolException.missing("%s: step %s is missing", path, step));
    }

    private synchronized Map<StepIndex, List<DetectorInputs>> detectorSegment(RecordingPath path)
            throws ProtocolException {
        Map<StepIndex, List<DetectorInputs>> cached = detectors.get(path);
        if (cached == null) {
            cached = DetectorSegment.read(store, path);
            detectors.put(path, cached);
        }
        return cached;
    }

    /**
     * The combined gradient of a committed step, by the name of the parameter; needs the update policy gradients. Whoever
     * builds on it compares its root with the step record's combinedRoot first.
     *
     * @param shapes of the model's parameters by name
     */
    public Map<String, float[]> update(StepIndex step, Map<String, Shape> shapes) throws ProtocolException {
        requireCommitted(step);
        return UpdateFile.read(store, step, shapes);
    }

    /** Every file of the folder. */
    public List<RecordingPath> files() throws ProtocolException {
        return store.files();
    }

    /** Bytes of the signed bundle of a commitment. */
    public byte[] commitmentBundle(long sequence) throws ProtocolException {
        return store.readAll(RecordingPaths.commitmentBundle(sequence), MAX_BUNDLE_BYTES);
    }

    private long segmentStart(StepIndex step) {
        return descriptor.storage().segmentStart(step.value());
    }

    private void requireCommitted(StepIndex step) throws ProtocolException {
        if (step.value() >= stepCount()) {
            throw ProtocolException.missing(
                    "step %s is not committed: this recording commits to %d steps", step, stepCount());
        }
    }

    private synchronized List<StepRecord> segment(long first) throws ProtocolException {
        RecordingPath path = RecordingPaths.steps(first);
        List<StepRecord> cached = steps.get(path);
        if (cached == null) {
            cached = StepSegment.read(store, path, descriptor.storage().stepsPerSegment());
            for (int row = 0; row < cached.size(); row++) {
                StepRecord record = cached.get(row);
                if (record.step().value() != first + row) {
                    throw ProtocolException.unequal(
                            "%s: row %d should be step %d, is step %s", path, row, first + row, record.step());
                }
                if (!record.runId().equals(runId())) {
                    throw ProtocolException.unequal(
                            "%s: step %s \"runId\" should be %s, is %s", path, record.step(), runId(), record.runId());
                }
            }
            steps.put(path, cached);
        }
        return cached;
    }

    private synchronized Map<StepIndex, StepTrace> traceSegment(RecordingPath path) throws ProtocolException {
        Map<StepIndex, StepTrace> cached = traces.get(path);
        if (cached == null) {
            cached = TraceSegment.read(store, path);
            traces.put(path, cached);
        }
        return cached;
    }

    private static List<Commitment> readCommitments(RecordingStore store) throws ProtocolException {
        List<Commitment> chain = new ArrayList<>();
        for (long sequence = 0; sequence == 0 || store.exists(RecordingPaths.commitment(sequence)); sequence++) {
            RecordingPath path = RecordingPaths.commitment(sequence);
            byte[] bytes = store.readAll(path, MAX_COMMITMENT_BYTES);
            Commitment commitment;
            try {
                commitment = Commitment.decode(bytes);
            } catch (ProtocolException e) {
                throw e.in(path.text());
            }
            checkLink(path, chain, commitment);
            chain.add(commitment);
        }
        if (store.exists(RecordingPaths.commitment(chain.size() + 1L))) {
            throw ProtocolException.missing(
                    "%s: the file is missing, though the commitment after it is there",
                    RecordingPaths.commitment(chain.size()));
        }
        return chain;
    }

    private static void checkLink(RecordingPath path, List<Commitment> chain, Commitment next)
            throws ProtocolException {
        if (next.sequence() != chain.size()) {
            throw ProtocolException.unequal(
                    "%s: \"sequence\" should be %d, is %d", path, chain.size(), next.sequence());
        }
        if (chain.isEmpty()) {
            return;
        }
        Commitment previous = chain.getLast();
        if (!next.previousDigest().equals(Optional.of(previous.digest()))) {
            throw ProtocolException.unequal(
                    "%s: \"previousDigest\" should be %s, the digest of %s, is %s: one of the two was changed",
                    path,
                    previous.digest(),
                    RecordingPaths.commitment(previous.sequence()),
                    next.previousDigest().orElseThrow());
        }
        if (!next.runId().equals(previous.runId())) {
            throw ProtocolException.unequal("%s: \"runId\" should be %s, is %s", path, previous.runId(), next.runId());
        }
        if (next.endStep() < previous.endStep()) {
            throw ProtocolException.unequal(
                    "%s: \"endStep\" should be %d or more, is %d", path, previous.endStep(), next.endStep());
        }
        if (previous.isFinal()) {
            throw ProtocolException.unequal("%s: comes after the final commitment", path);
        }
    }

    private static <K, V> Map<K, V> lru() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > CACHED_SEGMENTS;
            }
        };
    }
}
