package org.bitwitness.protocol.format;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/** The nested columns of a step's workers and their micro-batches. */
final class WorkerColumns {
    static final Field FIELD = ArrowColumns.struct(
            "worker",
            ArrowColumns.int32("workerId"),
            ArrowColumns.list(
                    "microBatches",
                    ArrowColumns.struct(
                            "microBatch",
                            ArrowColumns.list("sampleIds", ArrowColumns.int64("sampleId")),
                            ArrowColumns.digest("rowsRoot"))),
            ArrowColumns.digest("gradientRoot"),
            ArrowColumns.float64("lossSum"),
            ArrowColumns.int64("targetCount"),
            ArrowColumns.optionalDigest("traceRoot"));

    private final StructVector workers;
    private final IntVector workerId;
    private final ListVector microBatches;
    private final StructVector microBatch;
    private final ListVector sampleIds;
    private final BigIntVector sampleId;
    private final FixedSizeBinaryVector rowsRoot;
    private final FixedSizeBinaryVector gradientRoot;
    private final Float8Vector lossSum;
    private final BigIntVector targetCount;
    private final FixedSizeBinaryVector traceRoot;

    WorkerColumns(StructVector workers) {
        this.workers = workers;
        List<FieldVector> all = workers.getChildrenFromFields();
        workerId = ArrowColumns.column(all, "workerId", IntVector.class);
        microBatches = ArrowColumns.column(all, "microBatches", ListVector.class);
        microBatch = (StructVector) microBatches.getDataVector();
        List<FieldVector> inner = microBatch.getChildrenFromFields();
        sampleIds = ArrowColumns.column(inner, "sampleIds", ListVector.class);
        sampleId = (BigIntVector) sampleIds.getDataVector();
        rowsRoot = ArrowColumns.column(inner, "rowsRoot", FixedSizeBinaryVector.class);
        gradientRoot = ArrowColumns.column(all, "gradientRoot", FixedSizeBinaryVector.class);
        lossSum = ArrowColumns.column(all, "lossSum", Float8Vector.class);
        targetCount = ArrowColumns.column(all, "targetCount", BigIntVector.class);
        traceRoot = ArrowColumns.column(all, "traceRoot", FixedSizeBinaryVector.class);
    }

    void put(int at, WorkerRecord record) {
        workers.setIndexDefined(at);
        workerId.setSafe(at, record.worker().value());
        int firstBatch = microBatches.startNewValue(at);
        for (int i = 0; i < record.microBatches().size(); i++) {
            put(firstBatch + i, record.microBatches().get(i));
        }
        microBatches.endValue(at, record.microBatches().size());
        ArrowColumns.put(gradientRoot, at, record.gradientRoot().digest());
        lossSum.setSafe(at, record.lossSum());
        targetCount.setSafe(at, record.targetCount());
        ArrowColumns.put(traceRoot, at, record.traceRoot().map(TraceRoot::digest));
    }

    private void put(int at, MicroBatchRecord record) {
        microBatch.setIndexDefined(at);
        int firstSample = sampleIds.startNewValue(at);
        for (int i = 0; i < record.sampleIds().size(); i++) {
            sampleId.setSafe(firstSample + i, record.sampleIds().get(i));
        }
        sampleIds.endValue(at, record.sampleIds().size());
        ArrowColumns.put(rowsRoot, at, record.rowsRoot());
    }

    WorkerRecord get(int at) {
        List<MicroBatchRecord> batches = new ArrayList<>();
        for (int i = microBatches.getElementStartIndex(at); i < microBatches.getElementEndIndex(at); i++) {
            batches.add(microBatch(i));
        }
        return new WorkerRecord(
                new WorkerId(workerId.get(at)),
                batches,
                new GradientRoot(ArrowColumns.digest(gradientRoot, at)),
                lossSum.get(at),
                targetCount.get(at),
                ArrowColumns.optionalDigest(traceRoot, at).map(TraceRoot::new));
    }

    private MicroBatchRecord microBatch(int at) {
        List<Long> ids = new ArrayList<>();
        for (int i = sampleIds.getElementStartIndex(at); i < sampleIds.getElementEndIndex(at); i++) {
            ids.add(sampleId.get(i));
        }
        return new MicroBatchRecord(ids, ArrowColumns.digest(rowsRoot, at));
    }
}
