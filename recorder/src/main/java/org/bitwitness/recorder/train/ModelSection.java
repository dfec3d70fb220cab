package org.bitwitness.recorder.train;

import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.recorder.train.TrainConfig.ModelKeys;
import org.bitwitness.recorder.train.TrainConfig.Reader;

/** The section {@code model} of a training configuration, whose defaults depend on the family. */
final class ModelSection {
    private static final double STD = 0.02;
    private static final double MLP_STD = 0.1;

    private ModelSection() {}

    static ModelKeys model(JsonFields model, long seed) throws ProtocolException {
        Family family = Reader.word(model, "family", Family.GPT2, List.of(Family.values()), Family::text);
        boolean mlp = family == Family.MLP;
        int width = (int) Reader.integer(model, "width", 128, 1, 1 << 20);
        int layers = (int) Reader.integer(model, "layers", 4, 1, 1 << 16);
        int heads = (int) Reader.integer(model, "heads", mlp ? 1 : 4, 1, 1 << 16);
        double std = Reader.number(model, "initStd", mlp ? MLP_STD : STD);
        return new ModelKeys(
                family,
                (int) Reader.integer(model, "context", 128, 1, 1 << 20),
                width,
                layers,
                heads,
                (int) Reader.integer(model, "kvHeads", heads, 1, heads),
                (int) Reader.integer(model, "headDim", Math.max(1, width / heads), 1, 1 << 16),
                (int) Reader.integer(model, "ff", 4L * width, 1, 1 << 22),
                Reader.number(model, "normEps", 1e-5),
                Reader.number(model, "ropeTheta", family == Family.LLAMA ? 10_000.0 : 0.0),
                model.has("tied") ? model.bool("tied") : family == Family.GPT2,
                std,
                Reader.number(model, "initProjectionStd", mlp ? std : std / StrictMath.sqrt(2.0 * layers)),
                Reader.integer(model, "initSeed", seed, 0, Long.MAX_VALUE));
    }

    /** {@code "dropout": 0.1}, or {@code "dropout": {"embd": 0.1, "attn": 0, "resid": 0.1}}. */
    static DropoutSpec dropout(JsonFields model, Family family) throws ProtocolException {
        if (!model.has("dropout")) {
            return uniform(0.1, family);
        }
        if (!(model.any("dropout") instanceof Json.Obj)) {
            return uniform(model.number("dropout"), family);
        }
        JsonFields rates = model.object("dropout");
        DropoutSpec dropout = new DropoutSpec(
                DropoutSpec.Rate.of(Reader.number(rates, "embd", 0)),
                DropoutSpec.Rate.of(Reader.number(rates, "attn", 0)),
                DropoutSpec.Rate.of(Reader.number(rates, "resid", 0)));
        rates.end();
        return dropout;
    }

    /** One rate for every place that the family has. */
    private static DropoutSpec uniform(double rate, Family family) {
        DropoutSpec.Rate everywhere = DropoutSpec.Rate.of(rate);
        return new DropoutSpec(everywhere, family == Family.MLP ? DropoutSpec.Rate.of(0) : everywhere, everywhere);
    }
}
