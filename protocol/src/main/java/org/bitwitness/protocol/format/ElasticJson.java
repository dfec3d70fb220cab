package org.bitwitness.protocol.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.Layout;

/** How a layout may change, in a descriptor and in a training configuration. */
public final class ElasticJson {
    private static final long MAX_STEP = (1L << 53) - 1;
    private static final String CONTINUE = "continue";
    private static final String STOP = "stop";

    private ElasticJson() {}

    static Json write(ElasticSpec elastic) {
        return Json.object()
                .put("onLostWorker", elastic.dropsLost() ? CONTINUE : STOP)
                .put(
                        "plan",
                        new Json.Arr(elastic.plan().stream()
                                .<Json>map(change -> Json.object()
                                        .put("atStep", change.atStep())
                                        .put("workers", layout(change.workers()))
                                        .build())
                                .toList()))
                .build();
    }

    static ElasticSpec read(JsonFields in) throws ProtocolException {
        boolean dropsLost = readOnLostWorker(in, "onLostWorker");
        List<ElasticSpec.Change> plan = readPlan(in, "plan");
        in.end();
        try {
            return new ElasticSpec(plan, dropsLost);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }

    private static boolean readOnLostWorker(JsonFields in, String key) throws ProtocolException {
        return in.word(key, List.of(CONTINUE, STOP)).equals(CONTINUE);
    }

    /** {@code "elastic": [{"atStep": 10, "workers": [0, 1, 2]}]} and {@code "onLostWorker": "continue"} of a configuration. */
    public static Optional<ElasticSpec> ofConfiguration(JsonFields keys) throws ProtocolException {
        List<ElasticSpec.Change> plan = keys.has("elastic") ? readPlan(keys, "elastic") : List.of();
        boolean dropsLost = keys.has("onLostWorker") && readOnLostWorker(keys, "onLostWorker");
        return plan.isEmpty() && !dropsLost ? Optional.empty() : Optional.of(new ElasticSpec(plan, dropsLost));
    }

    private static List<ElasticSpec.Change> readPlan(JsonFields in, String key) throws ProtocolException {
        List<ElasticSpec.Change> plan = new ArrayList<>();
        for (JsonFields change : in.objects(key, ElasticSpec.MAX_CHANGES)) {
            long atStep = change.integer("atStep", 1, MAX_STEP);
            Layout workers = readLayout(change, "workers");
            change.end();
            plan.add(new ElasticSpec.Change(atStep, workers));
        }
        return plan;
    }

    static Json layout(Layout layout) {
        return Json.integers(
                layout.workers().stream().mapToLong(WorkerId::value).toArray());
    }

    static Layout readLayout(JsonFields in, String key) throws ProtocolException {
        List<Long> ids = in.integers(key, Layout.MAX_WORKERS, 0, WorkerId.MAX);
        try {
            return new Layout(
                    ids.stream().map(id -> new WorkerId(id.intValue())).toList());
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }
}
