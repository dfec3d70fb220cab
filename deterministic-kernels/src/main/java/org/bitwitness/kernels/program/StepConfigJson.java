package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.ReductionTree;

/** Reads configuration files of the conformance interface; docs/numerics.md explains every field. */
public final class StepConfigJson {
    private static final int MAX_LAYERS = 1_000;
    private static final int MAX_EXTENT = 1 << 24;
    private static final int MAX_LIST = 65_536;
    private static final StrictJson.Limits LIMITS = StrictJson.Limits.DEFAULT.withMaxBytes(256 << 20);

    private final JsonFields fields;

    private StepConfigJson(JsonFields fields) {
        this.fields = fields;
    }

    /**
     * Reads a configuration.
     *
     * @param what name of the file, for messages
     * @throws ProtocolException naming the field, what it should be and what it is
     */
    public static StepConfig read(byte[] utf8, String what) throws ProtocolException {
        JsonFields fields = JsonFields.of(what, StrictJson.with(LIMITS).readObject(utf8, what));
        try {
            StepConfig config = new StepConfigJson(fields).read();
            fields.end();
            return config;
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, what + ": " + e.getMessage(), e);
        }
    }

    private StepConfig read() throws ProtocolException {
        NumericProfile profile = NumericProfile.of(new ProfileId(fields.text("profile")));
        ModelConfig model = model();
        ParameterManifest manifest = fields.has("manifest")
                ? ParameterManifest.of(model, fields.texts("manifest", MAX_LIST))
                : ParameterManifest.of(model);
        List<List<MicroBatch>> workers = workers();
        long seed = fields.integer("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        return new StepConfig(
                profile,
                model,
                manifest,
                fields.optionalText("rope_table"),
                new HostState.InitialWeights(seed, number("init_std", 0.02), number("init_proj_std", 0.02)),
                seed,
                fields.integer("step", 1, 0xffff_ffffL),
                fields.number("lr"),
                optimizer(),
                reduction(workers.size()),
                averaging(),
                workers);
    }

    private ModelConfig model() throws ProtocolException {
        Family family = Family.ofText(fields.word("family", List.of("gpt2", "llama", "mlp")));
        int width = extent("d");
        boolean mlp = family == Family.MLP;
        int heads = mlp && !fields.has("heads") ? 1 : extent("heads");
        int kvHeads = fields.has("kv_heads") ? extent("kv_heads") : heads;
        int headDim = fields.has("head_dim") ? extent("head_dim") : evenShare(width, heads);
        boolean tied = fields.has("tied") ? fields.bool("tied") : family == Family.GPT2;
        double ropeTheta = number("rope_theta", 10_000);
        return new ModelConfig(
                family,
                extent("vocab"),
                extent("context"),
                width,
                fields.integer32("layers", 1, MAX_LAYERS),
                heads,
                kvHeads,
                headDim,
                extent("ff"),
                mlp ? number("norm_eps", 1e-5) : fields.number("norm_eps"),
                ropeTheta,
                tied,
                dropouts(mlp));
    }

    private int evenShare(int width, int heads) throws ProtocolException {
        if (width % heads != 0) {
            throw fields.refuse(
                    "heads", "should divide d = %d where head_dim is left out, is %d".formatted(width, heads));
        }
        return width / heads;
    }

    private ModelConfig.Dropouts dropouts(boolean mlp) throws ProtocolException {
        double all = number("dropout", 0);
        return new ModelConfig.Dropouts(
                DropoutRate.of(number("embd_pdrop", all)),
                DropoutRate.of(number("attn_pdrop", mlp ? 0 : all)),
                DropoutRate.of(number("resid_pdrop", all)));
    }

    private OptimizerSpec optimizer() throws ProtocolException {
        String kind = fields.has("optimizer")
                ? fields.word("optimizer", List.of(OptimizerSpec.AdamW.KIND, OptimizerSpec.Sgd.KIND))
                : OptimizerSpec.AdamW.KIND;
        double written = fields.number("max_norm");
        // JSON has no infinity: 0 stands for "do not clip".
        double maxNorm = written == 0 ? Double.POSITIVE_INFINITY : written;
        double weightDecay = fields.number("weight_decay");
        return kind.equals(OptimizerSpec.Sgd.KIND)
                ? new OptimizerSpec.Sgd(
                        fields.number("momentum"),
                        number("dampening", 0),
                        fields.has("nesterov") && fields.bool("nesterov"),
                        weightDecay,
                        maxNorm)
                : new OptimizerSpec.AdamW(
                        fields.number("beta1"), fields.number("beta2"), fields.number("eps"), weightDecay, maxNorm);
    }

    private CombineRule reduction(int workers) throws ProtocolException {
        Reduction rule = Reduction.parse(fields.text("reduction"));
        String tree = fields.has("tree") ? tree() : "ascending";
        // A tree that the rule does not read has to be one all the same.
        ReductionTree.ofWord(tree, workers);
        return CombineRule.of(rule, tree, workers);
    }

    private String tree() throws ProtocolException {
        return fields.any("tree") instanceof Json.Arr pairs ? pairs.toText() : fields.text("tree");
    }

    private Averaging averaging() throws ProtocolException {
        if (!fields.has("average")) {
            return Averaging.TOKENS;
        }
        return fields.word("average", List.of("tokens", "workers")).equals("tokens")
                ? Averaging.TOKENS
                : Averaging.WORKERS;
    }

    private List<List<MicroBatch>> workers() throws ProtocolException {
        List<List<MicroBatch>> workers = new ArrayList<>();
        for (Json worker : fields.array("workers", MAX_LIST)) {
            String place = "workers[" + workers.size() + "]";
            List<MicroBatch> microBatches = new ArrayList<>();
            for (Json microBatch : items(worker, place)) {
                String at = place + "[" + microBatches.size() + "]";
                if (!(microBatch instanceof Json.Obj object)) {
                    throw fields.refuse(at, "should be an object, is " + microBatch.typeName());
                }
                JsonFields batch = JsonFields.of(at, object);
                microBatches.add(MicroBatch.of(sequences(batch, "ids", at), sequences(batch, "targets", at)));
                batch.end();
            }
            workers.add(microBatches);
        }
        return workers;
    }

    private int[][] sequences(JsonFields batch, String key, String at) throws ProtocolException {
        List<Json> rows = batch.array(key, MAX_LIST);
        int[][] out = new int[rows.size()][];
        for (int s = 0; s < out.length; s++) {
            List<Json> numbers = items(rows.get(s), at + "." + key + "[" + s + "]");
            out[s] = new int[numbers.size()];
            for (int i = 0; i < out[s].length; i++) {
                if (!(numbers.get(i) instanceof Json.Int number)
                        || number.value() < -1
                        || number.value() >= MAX_EXTENT) {
                    throw fields.refuse(
                            at + "." + key, "sequence %d item %d should be a token id or -1".formatted(s, i));
                }
                out[s][i] = (int) number.value();
            }
        }
        return out;
    }

    private List<Json> items(Json value, String place) throws ProtocolException {
        if (value instanceof Json.Arr list) {
            return list.items();
        }
        throw fields.refuse(place, "should be an array, is " + value.typeName());
    }

    private int extent(String key) throws ProtocolException {
        return fields.integer32(key, 1, MAX_EXTENT);
    }

    private double number(String key, double fallback) throws ProtocolException {
        return fields.has(key) ? fields.number(key) : fallback;
    }
}
