package org.bitwitness.protocol.format;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.MixtureSpec;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.RowSpec;

/** What a descriptor says about data. Rows are named only where they do not run on with a target for every id. */
public final class DataJson {
    private static final String STRIDE = "stride";
    private static final String TARGETS = "targets";

    private DataJson() {}

    static Json write(DataSpec d) {
        Json.Builder json = Json.object()
                .put("datasetRoot", d.datasetRoot().hex())
                .put("contextLength", d.contextLength())
                .put("microBatches", d.microBatches())
                .put("sequencesPerMicroBatch", d.sequencesPerMicroBatch())
                .put("seed", "%016x".formatted(d.seed()));
        if (d.rows().stride() != d.contextLength()) {
            json.put(STRIDE, d.rows().stride());
        }
        if (d.rows().targets() != RowSpec.Targets.EACH) {
            json.put(TARGETS, d.rows().targets().text());
        }
        d.mixture().ifPresent(mixture -> json.put("mixture", MixtureJson.write(mixture)));
        return json.build();
    }

    static DataSpec read(JsonFields in) throws ProtocolException {
        DatasetRoot root = new DatasetRoot(in.digest("datasetRoot"));
        int contextLength = in.integer32("contextLength", 1, ModelSpec.MAX_EXTENT);
        int microBatches = in.integer32("microBatches", 1, ModelSpec.MAX_EXTENT);
        int sequences = in.integer32("sequencesPerMicroBatch", 1, ModelSpec.MAX_EXTENT);
        long seed = in.bits64("seed");
        RowSpec rows = rows(in, RowSpec.running(contextLength));
        Optional<MixtureSpec> mixture =
                in.has("mixture") ? Optional.of(MixtureJson.read(in.object("mixture"))) : Optional.empty();
        in.end();
        try {
            return new DataSpec(root, contextLength, microBatches, sequences, seed, rows, mixture);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }

    /** The keys {@code stride} and {@code targets}, which descriptors and training configurations spell alike. */
    public static RowSpec rows(JsonFields in, RowSpec otherwise) throws ProtocolException {
        int stride = in.has(STRIDE) ? in.integer32(STRIDE, 1, ModelSpec.MAX_EXTENT) : otherwise.stride();
        if (!in.has(TARGETS)) {
            return new RowSpec(stride, otherwise.targets());
        }
        String each = RowSpec.Targets.EACH.text();
        String found = in.word(TARGETS, List.of(each, RowSpec.Targets.LAST.text()));
        return new RowSpec(stride, found.equals(each) ? RowSpec.Targets.EACH : RowSpec.Targets.LAST);
    }
}
