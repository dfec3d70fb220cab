package org.bitwitness.replayer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.datasets.BatchOrder;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.ByteTokenizer;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.Sample;
import org.bitwitness.datasets.release.ReleasedFiles;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.UpdateResult;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.RopeTable;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingWriter;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.format.StepTrace;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.record.TokenizerSpec;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * Trains a tiny GPT in this process and records it, honestly or with a {@link Lie}. Written apart from the real trainer,
 * which a replayer must not know; as plain as the definitions, one worker after the other.
 */
public final class TestTrainer {
    public static final int STEPS = 6;

    private final Descriptor descriptor;
    private final Lie lie;
    private final Committer committer;
    private final Dataset dataset;
    private final StepEngine engine;
    private final RecordingWriter writer;
    private HostState state;
    private Scalars scalars;

    /** What a test may vary. */
    public record Shape(
            int workers,
            Reduction reduction,
            TracePolicy trace,
            int steps,
            UpdatePolicy updates,
            ProfileId profile,
            OptimizerSpec optimizer,
            ModelSpec model,
            String tree) {
        private static final OptimizerSpec ADAMW = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0);

        public static final Shape SMALL = new Shape(3, Reduction.ORDERED, TracePolicy.OPERATORS, STEPS);

        /** AdamW under F32-C512 without an update log. */
        public Shape(int workers, Reduction reduction, TracePolicy trace, int steps) {
            this(workers, reduction, trace, steps, UpdatePolicy.NONE, ProfileId.F32_C512, ADAMW, gpt2(1), "ascending");
        }

        /** Keeps updates, and no state between the first and the last. */
        public Shape withUpdates() {
            return new Shape(workers, reduction, trace, steps, UpdatePolicy.GRADIENTS, profile, optimizer, model, tree);
        }

        public Shape with(ModelSpec other) {
            return new Shape(workers, reduction, trace, steps, updates, profile, optimizer, other, tree);
        }

        /** Adds gradients in another order. */
        public Shape withTree(String other) {
            return new Shape(workers, reduction, trace, steps, updates, profile, optimizer, model, other);
        }

        public Shape with(TracePolicy policy) {
            return new Shape(workers, reduction, policy, steps, updates, profile, optimizer, model, tree);
        }

        public Shape with(Reduction rule) {
            return new Shape(workers, rule, trace, steps, updates, profile, optimizer, model, tree);
        }

        public Shape with(ProfileId other) {
            return new Shape(workers, reduction, trace, steps, updates, other, optimizer, model, tree);
        }

        public Shape with(OptimizerSpec other) {
            return new Shape(workers, reduction, trace, steps, updates, profile, other, model, tree);
        }
    }

    /** Makes commitments public. */
    public interface Committer {
        /** Nobody's: bundles are empty JSON. */
        Committer NOBODY = new Committer() {
            @Override
            public byte[] trainerSpki() {
                return new byte[] {1, 2, 3};
            }

            @Override
            public byte[] bundle(Commitment commitment) {
                return new byte[] {'{', '}'};
            }
        };

        byte[] trainerSpki();

        byte[] bundle(Commitment commitment) throws Exception;
    }

    /** Records a run in {@code folder}, which must not exist. */
    public static void train(Path folder, Shape shape, Lie lie) throws Exception {
        train(folder, shape, lie, Committer.NOBODY);
    }

    /** Records a run whose commitments go to {@code committer}. */
    public static void train(Path folder, Shape shape, Lie lie, Committer committer) throws Exception {
        new TestTrainer(folder, shape, lie, committer).run(shape.steps());
    }

    private TestTrainer(Path folder, Shape shape, Lie lie, Committer committer) throws Exception {
        this.committer = committer;
        this.lie = lie;
        Path built = folder.resolveSibling(folder.getFileName() + "-dataset");
        DatasetBuilder.build(documents(), DatasetOptions.named("verses"), built);
        this.dataset = Dataset.open(built);
        this.descriptor = describe(shape);
        this.engine =
                StepEngine.create(RunSetup.tensors(descriptor), lie.backend(Backends.create(BackendId.REFERENCE, 1)));
        engine.economize(lie.economy());
        this.writer = RecordingWriter.create(FolderStore.create(folder), lie.published(descriptor));
        for (String name : dataset.files()) {
            writer.addFile(
                    org.bitwitness.protocol.RecordingPath.of("dataset/" + name),
                    FileContent.of(Files.readAllBytes(built.resolve(name))));
        }
        this.state = engine.initialState(RunSetup.initialWeights(descriptor).orElseThrow(), descriptor.optimizer());
        lie.initial(state);
        this.scalars = Scalars.initial(descriptor.layout());
    }

    private static List<Document> documents() {
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String text =
                    "Verse %d: the quick brown fox number %d jumps over %d lazy dogs.\n".formatted(i, i * 7, i % 5);
            documents.add(Document.of("verse-%02d".formatted(i), text.repeat(4).getBytes(StandardCharsets.UTF_8)));
        }
        return documents;
    }

    private Descriptor describe(Shape shape) {
        boolean tree = shape.reduction().equals(Reduction.ORDERED);
        Averaging averaging = shape.reduction() instanceof Reduction.Robust ? Averaging.WORKERS : Averaging.TOKENS;
        return new Descriptor(
                shape.profile(),
                0x1122334455667788L,
                shape.model(),
                shape.optimizer(),
                new ScheduleSpec(ScheduleSpec.Kind.COSINE, 3e-3, 3e-4, 2, shape.steps(), 0),
                DropoutSpec.uniform(0.1),
                new DataSpec(dataset.root(), 16, 2, 2, 99L),
                new TokenizerSpec(ByteTokenizer.KIND, ByteTokenizer.DIGEST),
                new InitialSpec.Seed(7L, 0.02, 0.01),
                new AggregationSpec(averaging, shape.reduction(), tree ? shape.tree() : AggregationSpec.NO_TREE),
                Layout.ofCount(shape.workers()),
                shape.trace(),
                new StorageSpec(shape.updates() == UpdatePolicy.NONE ? 2 : shape.steps(), 1, 2, 2, shape.updates()));
    }

    /** A small model with so many blocks. */
    public static ModelSpec gpt2(int layers) {
        return new ModelSpec(
                ModelSpec.Family.GPT2, 257, 16, 16, layers, 2, 2, 8, 32, 1e-5, 0.0, true, Optional.empty());
    }

    /** Two query heads share keys and values; the output matrix is not the embedding. */
    public static ModelSpec llama(int layers) {
        ModelSpec.Family family = ModelSpec.Family.LLAMA;
        DropoutRate none = DropoutRate.of(0);
        ModelConfig.Dropouts dropouts = new ModelConfig.Dropouts(none, none, none);
        ModelConfig sameTable = new ModelConfig(family, 257, 16, 16, layers, 2, 1, 8, 24, 1e-6, 1e4, false, dropouts);
        return new ModelSpec(
                family,
                257,
                16,
                16,
                layers,
                2,
                1,
                8,
                24,
                1e-6,
                1e4,
                false,
                Optional.of(RopeTable.compute(sameTable).digest()));
    }

    private void run(int steps) throws Exception {
        writeState(0);
        AuditPolicy policy = new AuditPolicy("INIT,STEP,FINAL", 2, 1, BeaconMode.WITNESS_VRF, Duration.ofHours(1));
        OpenExt ext = OpenExt.of(
                DescriptorJson.digest(lie.published(descriptor)),
                dataset.root(),
                root(),
                committer.trainerSpki(),
                policy);
        commit(writer.open(ext));
        for (long t = 0; t < steps; t++) {
            step(t);
            boolean last = t + 1 == steps;
            if ((t + 1) % descriptor.storage().checkpointEvery() == 0 || last) {
                writeState(t + 1);
            }
            if ((t + 1) % descriptor.storage().commitEvery() == 0 || last) {
                Optional<ReleasedRoot> released = last ? Optional.of(release()) : Optional.empty();
                commit(writer.commit(root(), released));
            }
        }
        engine.close();
        dataset.close();
    }

    private void commit(Commitment commitment) throws Exception {
        writer.writeCommitment(commitment, committer.bundle(commitment));
    }

    private void step(long t) throws Exception {
        StateRoot before = root();
        List<List<MicroBatch>> batches = new ArrayList<>();
        List<List<MicroBatchRecord>> read = new ArrayList<>();
        readBatches(t, batches, read);
        long count = batches.stream()
                .flatMap(List::stream)
                .mapToLong(MicroBatch::targetCount)
                .sum();
        List<GradientResult> results = new ArrayList<>();
        List<WorkerRecord> workers = new ArrayList<>();
        Map<WorkerId, List<List<Sha256>>> traces = new HashMap<>();
        for (int position = 0; position < batches.size(); position++) {
            TraceHasher hasher = new TraceHasher();
            GradientResult result =
                    gradient(t, position, batches.get(position), counted(batches, position, count), hasher);
            WorkerTrace trace = hasher.finish();
            WorkerId id = descriptor.layout().workers().get(position);
            results.add(result);
            traces.put(id, trace.entries().stream().map(TraceEntry::outputRoots).toList());
            workers.add(new WorkerRecord(
                    id,
                    read.get(position),
                    TensorRoots.gradient(result.gradients(), Runnable::run),
                    result.lossSum(),
                    result.targetCount(),
                    descriptor.trace() == TracePolicy.NONE ? Optional.empty() : Optional.of(trace.traceRoot())));
        }
        CombineResult combined = engine.combine(
                lie.handOff(t, results.stream().map(GradientResult::gradients).toList()),
                RunSetup.reduction(descriptor, descriptor.layout().size()));
        ReduceResult reduced = engine.reduce(
                combined,
                results.stream()
                        .map(r -> new WorkerLoss(r.lossSum(), r.targetCount()))
                        .toList(),
                descriptor.aggregation().averaging(),
                descriptor.optimizer().maxNorm());
        double rate = lie.learningRate(t, LearningRate.at(descriptor.schedule(), t));
        boolean valid = update(rate, reduced);
        for (int hidden = 0; hidden < lie.hiddenStepsAfter(t); hidden++) {
            update(rate, reduced);
        }
        lie.afterUpdate(t, state);
        scalars = scalars.after(
                valid,
                descriptor.samplesPerStep(descriptor.layout()),
                dataset.sampleCount(descriptor.data().contextLength()));
        StepRecord record = new StepRecord(
                writer.runId(),
                new StepIndex(t),
                valid,
                before,
                root(),
                descriptor.layout(),
                lie.published(descriptor).reductionText(),
                descriptor.aggregation().averaging(),
                count,
                rate,
                workers,
                TensorRoots.combined(reduced.combined(), Runnable::run),
                combined.exponentsRoot(),
                reduced.norm(),
                reduced.clip(),
                reduced.loss(),
                StepRecord.NO_DETECTORS);
        if (valid && descriptor.storage().updates() == UpdatePolicy.GRADIENTS) {
            writer.writeUpdate(new StepIndex(t), tensors(lie.keptUpdate(t, reduced.combined())));
        }
        boolean keeps = descriptor.trace() == TracePolicy.OPERATORS;
        writer.appendStep(
                lie.record(record), keeps ? Optional.of(new StepTrace(new StepIndex(t), traces)) : Optional.empty());
    }

    private void readBatches(long t, List<List<MicroBatch>> batches, List<List<MicroBatchRecord>> read)
            throws Exception {
        BatchSpec spec = BatchSpec.of(descriptor.data());
        long sampleCount = dataset.manifest().sampleCount(spec.form());
        for (int position = 0; position < descriptor.layout().size(); position++) {
            batches.add(new ArrayList<>());
            read.add(new ArrayList<>());
            for (int m = 0; m < spec.microBatches(); m++) {
                List<Long> honest = new ArrayList<>();
                for (long id : BatchOrder.samplesOf(DataCursor.of(scalars), spec, position, m, sampleCount)) {
                    honest.add(id);
                }
                List<Long> samples = lie.samples(t, position, m, honest);
                int[][] ids = new int[samples.size()][];
                int[][] targets = new int[samples.size()][];
                for (int s = 0; s < samples.size(); s++) {
                    Sample sample = dataset.sample(spec.form(), samples.get(s));
                    ids[s] = sample.ids().clone();
                    targets[s] = sample.targets();
                }
                lie.tokens(t, position, m, ids);
                batches.get(position).add(MicroBatch.of(ids, targets));
                read.get(position).add(MicroBatchRecord.of(samples, ids, targets));
            }
        }
    }

    private long counted(List<List<MicroBatch>> batches, int position, long all) {
        return descriptor.aggregation().averaging() == Averaging.TOKENS
                ? all
                : batches.get(position).stream()
                        .mapToLong(MicroBatch::targetCount)
                        .sum();
    }

    private GradientResult gradient(long t, int position, List<MicroBatch> batches, long count, TraceHasher hasher) {
        GradientRequest request = new GradientRequest(
                state,
                descriptor.seed(),
                lie.rngCounterUsed(t, scalars.rngCounter()),
                position,
                batches,
                GradientRequest.invCount(count));
        return engine.gradient(request, hasher, gradients -> lie.beforeEmit(t, position, gradients));
    }

    private boolean update(double rate, ReduceResult reduced) {
        return reduced.valid()
                && engine.update(state, reduced.combined(), UpdateRequest.of(reduced, rate, descriptor.optimizer()))
                        == UpdateResult.UPDATED;
    }

    private StateRoot root() {
        return TensorRoots.state(state, lie.scalars(scalars), lie.published(descriptor), Runnable::run);
    }

    private void writeState(long index) throws Exception {
        List<F32Tensor> optimizer = state.tensors().stream()
                .filter(tensor ->
                        tensor.name().startsWith("m.") || tensor.name().startsWith("v."))
                .toList();
        writer.writeState(new StateIndex(index), parameters(state), optimizer, lie.scalars(scalars));
    }

    private static List<F32Tensor> parameters(HostState of) {
        List<F32Tensor> tensors = new ArrayList<>();
        for (Parameter p : of.manifest().parameters()) {
            tensors.add(F32Tensor.of(p.name(), p.shape(), of.parameter(p.index())));
        }
        return tensors;
    }

    private static List<F32Tensor> tensors(Gradients of) {
        List<F32Tensor> tensors = new ArrayList<>();
        for (Parameter p : of.manifest().parameters()) {
            tensors.add(F32Tensor.of(p.name(), p.shape(), of.tensor(p.index())));
        }
        return tensors;
    }

    private ReleasedRoot release() throws Exception {
        Map<String, byte[]> files = new TreeMap<>(ReleasedFiles.of(lie.published(descriptor), dataset.folder()));
        HostState copy = state.copy();
        lie.released(copy);
        ByteArrayOutputStream weights = new ByteArrayOutputStream();
        Safetensors.write(parameters(copy), weights);
        files.put(ReleasedFiles.WEIGHTS, weights.toByteArray());
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            writer.addFile(RecordingPaths.released(file.getKey()), FileContent.of(file.getValue()));
            digests.writeBytes(Hashing.sha256(file.getValue()).bytes());
        }
        return new ReleasedRoot(Hashing.sha256(digests.toByteArray()));
    }
}
