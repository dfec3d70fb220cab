package org.bitwitness.recorder.train;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.bitwitness.datasets.DatasetManifest;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.RopeTable;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DataJson;
import org.bitwitness.protocol.format.ElasticJson;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.MixtureJson;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MixtureSpec;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.ScaledGradient;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.RowSpec;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.record.TokenizerSpec;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.UpdatePolicy;

/**
 * A training configuration as a person writes it: JSON, everything but the dataset with a default. {@code
 * docs/training.md} lists the keys.
 *
 * @param dataset folder; relative to the configuration file
 * @param seed of dropout; the other seeds default to it
 * @param faults planted for a drill; not in the descriptor, as a liar would hide them
 */
public record TrainConfig(
        Path dataset,
        NumericProfile profile,
        ModelKeys model,
        DataKeys data,
        long seed,
        Layout layout,
        OptimizerSpec optimizer,
        ScheduleSpec schedule,
        DropoutSpec dropout,
        AggregationSpec aggregation,
        TracePolicy trace,
        StorageSpec storage,
        DetectorPolicy detectors,
        Optional<ElasticSpec> elastic,
        AuditPolicy audit,
        List<PlantedFault> faults) {
    private static final int MAX_WORKERS = 1024;

    /** The model's keys; see {@link org.bitwitness.protocol.record.ModelSpec}. */
    public record ModelKeys(
            Family family,
            int context,
            int width,
            int layers,
            int heads,
            int kvHeads,
            int headDim,
            int ff,
            double normEps,
            double ropeTheta,
            boolean tied,
            double initStd,
            double initProjectionStd,
            long initSeed) {}

    /** How batches are cut. */
    public record DataKeys(
            int contextLength,
            int microBatches,
            int sequencesPerMicroBatch,
            long seed,
            RowSpec rows,
            Optional<MixtureSpec> mixture) {}

    /**
     * The descriptor of a run over a dataset.
     *
     * @throws IllegalArgumentException if the model cannot be
     */
    public Descriptor descriptor(DatasetManifest manifest) {
        Optional<Sha256> ropeTable =
                model.family() == Family.LLAMA ? Optional.of(ropeTable(manifest)) : Optional.empty();
        return new Descriptor(
                profile.id(),
                seed,
                new ModelSpec(
                        model.family(),
                        manifest.tokenizer().vocab(),
                        model.context(),
                        model.width(),
                        model.layers(),
                        model.heads(),
                        model.kvHeads(),
                        model.headDim(),
                        model.ff(),
                        model.normEps(),
                        model.ropeTheta(),
                        model.tied(),
                        ropeTable),
                optimizer,
                schedule,
                dropout,
                new DataSpec(
                        manifest.root(),
                        data.contextLength(),
                        data.microBatches(),
                        data.sequencesPerMicroBatch(),
                        data.seed(),
                        data.rows(),
                        data.mixture()),
                new TokenizerSpec(
                        manifest.tokenizer().kind(), manifest.tokenizer().digest()),
                new InitialSpec.Seed(model.initSeed(), model.initStd(), model.initProjectionStd()),
                aggregation,
                layout,
                trace,
                storage,
                detectors,
                elastic);
    }

    private Sha256 ropeTable(DatasetManifest manifest) {
        return RopeTable.compute(new ModelConfig(
                        Family.LLAMA,
                        manifest.tokenizer().vocab(),
                        model.context(),
                        model.width(),
                        model.layers(),
                        model.heads(),
                        model.kvHeads(),
                        model.headDim(),
                        model.ff(),
                        model.normEps(),
                        model.ropeTheta(),
                        model.tied(),
                        ModelConfig.Dropouts.NONE))
                .digest();
    }

    /**
     * Reads a configuration.
     *
     * @param folder that relative paths start at
     * @throws ProtocolException naming the key and, for an unknown one, the nearest that exists
     */
    public static TrainConfig read(byte[] utf8, String place, Path folder) throws ProtocolException {
        JsonFields keys = JsonFields.of(place, StrictJson.object(utf8, place));
        try {
            TrainConfig config = new Reader(keys, folder).read();
            keys.end();
            return config;
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, place + ": " + e.getMessage(), e);
        }
    }

    /** Takes the JSON apart; every key is asked for, so that an unknown one is found. */
    record Reader(JsonFields keys, Path folder) {
        TrainConfig read() throws ProtocolException {
            Path dataset = folder.resolve(keys.text("dataset"));
            long seed = integer(keys, "seed", 1, 0, Long.MAX_VALUE);
            JsonFields model = section(keys, "model");
            ModelKeys modelKeys = ModelSection.model(model, seed);
            DropoutSpec dropout = ModelSection.dropout(model, modelKeys.family());
            model.end();
            JsonFields data = section(keys, "data");
            int contextLength = (int) integer(data, "contextLength", modelKeys.context(), 1, modelKeys.context());
            boolean mlp = modelKeys.family() == Family.MLP;
            DataKeys dataKeys = new DataKeys(
                    contextLength,
                    (int) integer(data, "microBatches", 2, 1, 1 << 16),
                    (int) integer(data, "sequencesPerMicroBatch", 2, 1, 1 << 16),
                    integer(data, "seed", seed, 0, Long.MAX_VALUE),
                    DataJson.rows(data, new RowSpec(contextLength, mlp ? RowSpec.Targets.LAST : RowSpec.Targets.EACH)),
                    data.has("mixture") ? Optional.of(MixtureJson.read(data, "mixture")) : Optional.empty());
            data.end();
            Layout layout = Layout.ofCount((int) integer(keys, "workers", 4, 1, MAX_WORKERS));
            ScheduleSpec schedule = schedule(section(keys, "schedule"));
            NumericProfile profile = keys.has("profile")
                    ? NumericProfile.of(new ProfileId(keys.text("profile")))
                    : NumericProfile.F32_C512;
            return new TrainConfig(
                    dataset,
                    profile,
                    modelKeys,
                    dataKeys,
                    seed,
                    layout,
                    optimizer(section(keys, "optimizer")),
                    schedule,
                    dropout,
                    aggregation(section(keys, "aggregation")),
                    word(keys, "trace", TracePolicy.OPERATORS, List.of(TracePolicy.values()), TracePolicy::text),
                    storage(section(keys, "storage")),
                    word(
                            keys,
                            "detectors",
                            DetectorPolicy.NONE,
                            List.of(DetectorPolicy.values()),
                            DetectorPolicy::text),
                    ElasticJson.ofConfiguration(keys),
                    audit(section(keys, "audit")),
                    keys.has("drill") ? List.of(drill(keys.object("drill"), schedule, layout)) : List.of());
        }

        private static OptimizerSpec optimizer(JsonFields keys) throws ProtocolException {
            String kind = keys.has("kind")
                    ? keys.word("kind", List.of(OptimizerSpec.AdamW.KIND, OptimizerSpec.Sgd.KIND))
                    : OptimizerSpec.AdamW.KIND;
            boolean sgd = kind.equals(OptimizerSpec.Sgd.KIND);
            double decay = number(keys, "weightDecay", sgd ? 0 : 0.1);
            boolean unclipped = keys.has("maxNorm") && keys.any("maxNorm") instanceof Json.Null;
            double maxNorm = unclipped ? Double.POSITIVE_INFINITY : number(keys, "maxNorm", 1.0);
            OptimizerSpec optimizer = sgd
                    ? new OptimizerSpec.Sgd(
                            number(keys, "momentum", 0.9),
                            number(keys, "dampening", 0),
                            keys.has("nesterov") && keys.bool("nesterov"),
                            decay,
                            maxNorm)
                    : new OptimizerSpec.AdamW(
                            number(keys, "beta1", 0.9),
                            number(keys, "beta2", 0.95),
                            number(keys, "eps", 1e-8),
                            decay,
                            maxNorm);
            keys.end();
            return optimizer;
        }

        private static ScheduleSpec schedule(JsonFields keys) throws ProtocolException {
            ScheduleSpec.Kind kind = word(
                    keys,
                    "kind",
                    ScheduleSpec.Kind.COSINE,
                    List.of(ScheduleSpec.Kind.values()),
                    ScheduleSpec.Kind::text);
            long steps = integer(keys, "steps", 60, 1, 1L << 40);
            double base = number(keys, "base", 2e-3);
            boolean decays = kind == ScheduleSpec.Kind.WARMUP_STABLE_DECAY;
            ScheduleSpec schedule = new ScheduleSpec(
                    kind,
                    base,
                    number(keys, "min", kind == ScheduleSpec.Kind.CONSTANT ? base : base / 10),
                    integer(keys, "warmup", Math.min(10, steps), 0, steps),
                    steps,
                    integer(keys, "decay", decays ? Math.max(1, steps / 10) : 0, 0, steps));
            keys.end();
            return schedule;
        }

        private static AggregationSpec aggregation(JsonFields keys) throws ProtocolException {
            Reduction reduction = keys.has("reduction") ? Reduction.parse(keys.text("reduction")) : Reduction.ORDERED;
            Averaging averaging = word(
                    keys,
                    "averaging",
                    reduction instanceof Reduction.Robust ? Averaging.WORKERS : Averaging.TOKENS,
                    List.of(Averaging.values()),
                    Averaging::name);
            String tree = reduction instanceof Reduction.Ordered ? "ascending" : AggregationSpec.NO_TREE;
            tree = keys.has("tree") ? keys.text("tree") : tree;
            keys.end();
            return new AggregationSpec(averaging, reduction, tree);
        }

        private static StorageSpec storage(JsonFields keys) throws ProtocolException {
            long commitEvery = integer(keys, "commitEvery", 10, 1, 1L << 32);
            StorageSpec storage = new StorageSpec(
                    integer(keys, "checkpointEvery", commitEvery, 1, 1L << 32),
                    (int) integer(keys, "checkpointGrowth", 1, 1, StorageSpec.MAX_GROWTH),
                    commitEvery,
                    (int) integer(
                            keys,
                            "stepsPerSegment",
                            Math.min(commitEvery, StorageSpec.MAX_STEPS_PER_SEGMENT),
                            1,
                            StorageSpec.MAX_STEPS_PER_SEGMENT),
                    word(keys, "updates", UpdatePolicy.NONE, List.of(UpdatePolicy.values()), UpdatePolicy::text));
            keys.end();
            return storage;
        }

        private static AuditPolicy audit(JsonFields keys) throws ProtocolException {
            AuditPolicy policy = new AuditPolicy(
                    keys.has("population") ? keys.text("population") : "INIT,STEP,FINAL",
                    (int) integer(keys, "unitsPerAuditor", 4, 1, 1 << 20),
                    (int) integer(keys, "minimumReplicas", 1, 1, 1 << 10),
                    word(keys, "beacon", BeaconMode.WITNESS_VRF, List.of(BeaconMode.values()), BeaconMode::text),
                    Duration.ofSeconds(integer(keys, "deadlineSeconds", 86_400, 1, 1L << 32)));
            keys.end();
            return policy;
        }

        private static PlantedFault drill(JsonFields keys, ScheduleSpec schedule, Layout layout)
                throws ProtocolException {
            keys.word("kind", List.of(ScaledGradient.KIND));
            PlantedFault drill = new ScaledGradient(
                    new StepIndex(keys.integer("step", 0, schedule.steps() - 1)),
                    new WorkerId(keys.integer32("worker", 0, layout.size() - 1)),
                    (float) keys.number("factor"));
            keys.end();
            return drill;
        }

        /** A section that is not there is an empty one: every key has its default. */
        private static JsonFields section(JsonFields keys, String key) throws ProtocolException {
            return keys.has(key)
                    ? keys.object(key)
                    : JsonFields.of(keys.path() + "." + key, Json.object().build());
        }

        static long integer(JsonFields keys, String key, long otherwise, long min, long max) throws ProtocolException {
            return keys.has(key) ? keys.integer(key, min, max) : otherwise;
        }

        static double number(JsonFields keys, String key, double otherwise) throws ProtocolException {
            return keys.has(key) ? keys.number(key) : otherwise;
        }

        static <T> T word(JsonFields keys, String key, T otherwise, List<T> values, Function<T, String> text)
                throws ProtocolException {
            if (!keys.has(key)) {
                return otherwise;
            }
            List<String> words = values.stream().map(text).toList();
            return values.get(words.indexOf(keys.word(key, words)));
        }
    }
}
