package org.bitwitness.cli.run;

import java.util.List;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * A step record as a line of text. Floating-point numbers are there twice in JSON: to read, as text in the shortest
 * decimal, and to compare, as the hex of their bits.
 */
final class StepRows {
    static final String CSV_HEADER = "step,valid,targetCount,learningRate,norm,clip,loss,stateRootAfter";

    private StepRows() {}

    static String csv(StepRecord r) {
        return "%s,%s,%d,%s,%s,%s,%s,%s"
                .formatted(
                        r.step(),
                        r.valid(),
                        r.targetCount(),
                        r.learningRate(),
                        r.norm(),
                        r.clip(),
                        r.loss(),
                        r.stateRootAfter());
    }

    static Json.Obj json(StepRecord r) {
        Json.Builder out = Json.object()
                .put("step", r.step().value())
                .put("runId", r.runId().hex())
                .put("valid", r.valid())
                .put("stateRootBefore", r.stateRootBefore().hex())
                .put("stateRootAfter", r.stateRootAfter().hex())
                .put(
                        "layout",
                        Json.integers(r.layout().workers().stream()
                                .mapToLong(WorkerId::value)
                                .toArray()))
                .put("reduction", r.reduction())
                .put("averaging", r.averaging().name())
                .put("targetCount", r.targetCount())
                .put("learningRate", number(r.learningRate()))
                .put(
                        "workers",
                        new Json.Arr(
                                r.workers().stream().<Json>map(StepRows::json).toList()))
                .put("combinedRoot", r.combinedRoot().hex());
        r.exactExponentsRoot().ifPresent(root -> out.put("exactExponentsRoot", root.hex()));
        return out.put("norm", number(r.norm()))
                .put("clip", number(r.clip()))
                .put("loss", number(r.loss()))
                .put("detectorDigest", r.detectorDigest().hex())
                .put("leafHash", r.leafHash().hex())
                .build();
    }

    private static Json.Obj json(WorkerRecord w) {
        Json.Builder out = Json.object()
                .put("worker", w.worker().value())
                .put(
                        "microBatches",
                        new Json.Arr(w.microBatches().stream()
                                .<Json>map(StepRows::json)
                                .toList()))
                .put("gradientRoot", w.gradientRoot().hex())
                .put("lossSum", number(w.lossSum()))
                .put("targetCount", w.targetCount());
        w.traceRoot().ifPresent(root -> out.put("traceRoot", root.hex()));
        return out.build();
    }

    private static Json.Obj json(MicroBatchRecord batch) {
        List<Long> ids = batch.sampleIds();
        return Json.object()
                .put(
                        "sampleIds",
                        Json.integers(ids.stream().mapToLong(Long::longValue).toArray()))
                .put("rowsRoot", batch.rowsRoot().hex())
                .build();
    }

    private static Json.Obj number(double value) {
        return Json.object()
                .put("value", Double.toString(value))
                .put("bits", "%016x".formatted(Double.doubleToRawLongBits(value)))
                .build();
    }

    private static Json.Obj number(float value) {
        return Json.object()
                .put("value", Float.toString(value))
                .put("bits", "%08x".formatted(Float.floatToRawIntBits(value)))
                .build();
    }
}
