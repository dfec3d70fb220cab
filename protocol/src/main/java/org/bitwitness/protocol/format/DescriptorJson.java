package org.bitwitness.protocol.format;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.record.TokenizerSpec;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.UpdatePolicy;

/**
 * {@code descriptor.json}: keys sorted at every level, no spaces; only strings, booleans and integers under 2^53.
 * Binary64 numbers and seeds are 16 hex digits, binary32 numbers 8. Reading refuses a key that is missing or unknown,
 * and bytes that are not the one spelling.
 */
public final class DescriptorJson {
    private static final String FILE = "descriptor.json";
    private static final long MAX_INTEGER = (1L << 53) - 1;

    private DescriptorJson() {}

    /** The one spelling. */
    public static byte[] write(Descriptor d) {
        Json.Builder json = Json.object()
                .put("version", Descriptor.VERSION)
                .put("profile", d.profile().text())
                .put("seed", hex(d.seed()))
                .put("model", model(d.model()))
                .put("optimizer", optimizer(d.optimizer()))
                .put("schedule", schedule(d.schedule()))
                .put("dropout", dropout(d.dropout()))
                .put("data", DataJson.write(d.data()))
                .put("tokenizer", tokenizer(d.tokenizer()))
                .put("initial", initial(d.initial()))
                .put("aggregation", aggregation(d.aggregation()))
                .put("layout", ElasticJson.layout(d.layout()))
                .put("trace", d.trace().text())
                .put("storage", storage(d.storage()));
        if (d.detectors() != DetectorPolicy.NONE) {
            json.put("detectors", d.detectors().text());
        }
        d.elastic().ifPresent(elastic -> json.put("elastic", ElasticJson.write(elastic)));
        return Json.canonicalBytes(json.build());
    }

    /** SHA-256 of the file's bytes. */
    public static DescriptorDigest digest(Descriptor d) {
        return new DescriptorDigest(Hashing.sha256(write(d)));
    }

    /** Reads the file. */
    public static Descriptor read(byte[] utf8) throws ProtocolException {
        JsonFields in = JsonFields.of(FILE, StrictJson.object(utf8, FILE));
        long version = in.integer("version", 0, MAX_INTEGER);
        if (version != Descriptor.VERSION) {
            throw in.refuse("version", "is %d, known here is %d".formatted(version, Descriptor.VERSION));
        }
        String profile = in.text("profile");
        long seed = in.bits64("seed");
        ModelSpec model = readModel(in.object("model"));
        OptimizerSpec optimizer = readOptimizer(in.object("optimizer"));
        ScheduleSpec schedule = readSchedule(in.object("schedule"));
        DropoutSpec dropout = readDropout(in.object("dropout"));
        DataSpec data = DataJson.read(in.object("data"));
        TokenizerSpec tokenizer = readTokenizer(in.object("tokenizer"));
        InitialSpec initial = readInitial(in.object("initial"));
        AggregationSpec aggregation = readAggregation(in.object("aggregation"));
        Layout layout = ElasticJson.readLayout(in, "layout");
        TracePolicy trace = word(in, "trace", TracePolicy.values(), TracePolicy::text);
        StorageSpec storage = readStorage(in.object("storage"));
        DetectorPolicy detectors = in.has("detectors")
                ? word(in, "detectors", new DetectorPolicy[] {DetectorPolicy.SKETCH}, DetectorPolicy::text)
                : DetectorPolicy.NONE;
        Optional<ElasticSpec> elastic =
                in.has("elastic") ? Optional.of(ElasticJson.read(in.object("elastic"))) : Optional.empty();
        Descriptor descriptor = build(
                in,
                () -> new Descriptor(
                        new ProfileId(profile),
                        seed,
                        model,
                        optimizer,
                        schedule,
                        dropout,
                        data,
                        tokenizer,
                        initial,
                        aggregation,
                        layout,
                        trace,
                        storage,
                        detectors,
                        elastic));
        if (!Arrays.equals(write(descriptor), utf8)) {
            throw ProtocolException.malformed(
                    "%s: not the one spelling (keys sorted, no spaces, no other escapes than needed)", FILE);
        }
        return descriptor;
    }

    private static Json model(ModelSpec m) {
        Json.Builder out = Json.object()
                .put("family", m.family().text())
                .put("vocab", m.vocab())
                .put("context", m.context())
                .put("width", m.width())
                .put("layers", m.layers())
                .put("heads", m.heads())
                .put("kvHeads", m.kvHeads())
                .put("headDim", m.headDim())
                .put("ff", m.ff())
                .put("normEps", hex(m.normEps()))
                .put("ropeTheta", hex(m.ropeTheta()))
                .put("tied", m.tied());
        m.ropeTable().ifPresent(table -> out.put("ropeTable", table.hex()));
        return out.build();
    }

    private static ModelSpec readModel(JsonFields in) throws ProtocolException {
        ModelSpec.Family family = word(in, "family", ModelSpec.Family.values(), ModelSpec.Family::text);
        int vocab = extent(in, "vocab");
        int context = extent(in, "context");
        int width = extent(in, "width");
        int layers = extent(in, "layers");
        int heads = extent(in, "heads");
        int kvHeads = extent(in, "kvHeads");
        int headDim = extent(in, "headDim");
        int ff = extent(in, "ff");
        double normEps = in.double64("normEps");
        double ropeTheta = in.double64("ropeTheta");
        boolean tied = in.bool("tied");
        var ropeTable =
                family == ModelSpec.Family.LLAMA ? Optional.of(in.digest("ropeTable")) : Optional.<Sha256>empty();
        return build(
                in,
                () -> new ModelSpec(
                        family, vocab, context, width, layers, heads, kvHeads, headDim, ff, normEps, ropeTheta, tied,
                        ropeTable));
    }

    private static Json optimizer(OptimizerSpec o) {
        Json.Builder out = Json.object()
                .put("kind", o.kind())
                .put("weightDecay", hex(o.weightDecay()))
                .put("maxNorm", hex(o.maxNorm()));
        return switch (o) {
            case OptimizerSpec.AdamW adam ->
                out.put("beta1", hex(adam.beta1()))
                        .put("beta2", hex(adam.beta2()))
                        .put("eps", hex(adam.eps()))
                        .build();
            case OptimizerSpec.Sgd sgd ->
                out.put("momentum", hex(sgd.momentum()))
                        .put("dampening", hex(sgd.dampening()))
                        .put("nesterov", sgd.nesterov())
                        .build();
        };
    }

    private static OptimizerSpec readOptimizer(JsonFields in) throws ProtocolException {
        String kind = in.word("kind", List.of(OptimizerSpec.AdamW.KIND, OptimizerSpec.Sgd.KIND));
        double weightDecay = in.double64("weightDecay");
        double maxNorm = in.double64("maxNorm");
        if (kind.equals(OptimizerSpec.Sgd.KIND)) {
            double momentum = in.double64("momentum");
            double dampening = in.double64("dampening");
            boolean nesterov = in.bool("nesterov");
            return build(in, () -> new OptimizerSpec.Sgd(momentum, dampening, nesterov, weightDecay, maxNorm));
        }
        double beta1 = in.double64("beta1");
        double beta2 = in.double64("beta2");
        double eps = in.double64("eps");
        return build(in, () -> new OptimizerSpec.AdamW(beta1, beta2, eps, weightDecay, maxNorm));
    }

    private static Json schedule(ScheduleSpec s) {
        Json.Builder out = Json.object()
                .put("kind", s.kind().text())
                .put("base", hex(s.base()))
                .put("min", hex(s.min()))
                .put("warmup", s.warmup())
                .put("steps", s.steps());
        if (s.decay() > 0) {
            out.put("decay", s.decay());
        }
        return out.build();
    }

    private static ScheduleSpec readSchedule(JsonFields in) throws ProtocolException {
        ScheduleSpec.Kind kind = word(in, "kind", ScheduleSpec.Kind.values(), ScheduleSpec.Kind::text);
        double base = in.double64("base");
        double min = in.double64("min");
        long warmup = in.integer("warmup", 0, MAX_INTEGER);
        long steps = in.integer("steps", 1, MAX_INTEGER);
        long decay = kind == ScheduleSpec.Kind.WARMUP_STABLE_DECAY ? in.integer("decay", 1, MAX_INTEGER) : 0;
        return build(in, () -> new ScheduleSpec(kind, base, min, warmup, steps, decay));
    }

    private static Json dropout(DropoutSpec d) {
        return Json.object()
                .put("embd", rate(d.embd()))
                .put("attn", rate(d.attn()))
                .put("resid", rate(d.resid()))
                .build();
    }

    private static Json rate(DropoutSpec.Rate r) {
        return Json.object()
                .put("rate", hex(r.rate()))
                .put("threshold", r.threshold())
                .put("drop", "%08x".formatted(Float.floatToRawIntBits(r.drop())))
                .build();
    }

    private static DropoutSpec readDropout(JsonFields in) throws ProtocolException {
        DropoutSpec.Rate embd = readRate(in.object("embd"));
        DropoutSpec.Rate attn = readRate(in.object("attn"));
        DropoutSpec.Rate resid = readRate(in.object("resid"));
        return build(in, () -> new DropoutSpec(embd, attn, resid));
    }

    private static DropoutSpec.Rate readRate(JsonFields in) throws ProtocolException {
        double rate = in.double64("rate");
        long threshold = in.integer("threshold", 0, 0xFFFF_FFFFL);
        float drop = in.float32("drop");
        return build(in, () -> new DropoutSpec.Rate(rate, threshold, drop));
    }

    private static Json tokenizer(TokenizerSpec t) {
        return Json.object()
                .put("kind", t.kind())
                .put("digest", t.digest().hex())
                .build();
    }

    private static TokenizerSpec readTokenizer(JsonFields in) throws ProtocolException {
        String kind = in.text("kind");
        var digest = in.digest("digest");
        return build(in, () -> new TokenizerSpec(kind, digest));
    }

    private static Json initial(InitialSpec initial) {
        return switch (initial) {
            case InitialSpec.Seed seed ->
                Json.object()
                        .put("kind", "seed")
                        .put("seed", hex(seed.seed()))
                        .put("std", hex(seed.std()))
                        .put("projStd", hex(seed.projStd()))
                        .build();
            case InitialSpec.External external ->
                Json.object()
                        .put("kind", "external")
                        .put("digest", external.digest().hex())
                        .build();
        };
    }

    private static InitialSpec readInitial(JsonFields in) throws ProtocolException {
        if (in.word("kind", List.of("seed", "external")).equals("external")) {
            StateRoot digest = new StateRoot(in.digest("digest"));
            return build(in, () -> new InitialSpec.External(digest));
        }
        long seed = in.bits64("seed");
        double std = in.double64("std");
        double projStd = in.double64("projStd");
        return build(in, () -> new InitialSpec.Seed(seed, std, projStd));
    }

    private static Json aggregation(AggregationSpec a) {
        return Json.object()
                .put("averaging", a.averaging().name())
                .put("reduction", a.reduction().text())
                .put("tree", a.tree())
                .build();
    }

    private static AggregationSpec readAggregation(JsonFields in) throws ProtocolException {
        Averaging averaging = word(in, "averaging", Averaging.values(), Averaging::name);
        String reduction = in.text("reduction");
        String tree = in.text("tree");
        return build(in, () -> new AggregationSpec(averaging, Reduction.parse(reduction), tree));
    }

    private static Json storage(StorageSpec s) {
        Json.Builder json = Json.object()
                .put("checkpointEvery", s.checkpointEvery())
                .put("commitEvery", s.commitEvery())
                .put("stepsPerSegment", s.stepsPerSegment());
        if (s.checkpointGrowth() != 1) {
            json.put("checkpointGrowth", s.checkpointGrowth());
        }
        if (s.updates() != UpdatePolicy.NONE) {
            json.put("updates", s.updates().text());
        }
        return json.build();
    }

    private static StorageSpec readStorage(JsonFields in) throws ProtocolException {
        long checkpointEvery = in.integer("checkpointEvery", 1, MAX_INTEGER);
        int growth = in.has("checkpointGrowth") ? in.integer32("checkpointGrowth", 2, StorageSpec.MAX_GROWTH) : 1;
        long commitEvery = in.integer("commitEvery", 1, MAX_INTEGER);
        int stepsPerSegment = in.integer32("stepsPerSegment", 1, StorageSpec.MAX_STEPS_PER_SEGMENT);
        UpdatePolicy updates = in.has("updates")
                ? word(in, "updates", new UpdatePolicy[] {UpdatePolicy.GRADIENTS}, UpdatePolicy::text)
                : UpdatePolicy.NONE;
        return build(in, () -> new StorageSpec(checkpointEvery, growth, commitEvery, stepsPerSegment, updates));
    }

    private static int extent(JsonFields in, String key) throws ProtocolException {
        return in.integer32(key, 1, ModelSpec.MAX_EXTENT);
    }

    private static <E> E word(JsonFields in, String key, E[] values, Function<E, String> text)
            throws ProtocolException {
        String found = in.word(key, Stream.of(values).map(text).toList());
        return Stream.of(values)
                .filter(value -> text.apply(value).equals(found))
                .findFirst()
                .orElseThrow();
    }

    private static <T> T build(JsonFields in, Supplier<T> constructor) throws ProtocolException {
        in.end();
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }

    private static String hex(long bits) {
        return "%016x".formatted(bits);
    }

    private static String hex(double value) {
        return hex(Double.doubleToRawLongBits(value));
    }
}
