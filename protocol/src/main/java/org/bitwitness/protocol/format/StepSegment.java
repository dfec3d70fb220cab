package org.bitwitness.protocol.format;

import static org.bitwitness.protocol.format.ArrowColumns.column;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Schema;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.store.RecordingStore;

/** {@code steps/<first step>.arrow}: one row for each step record, its columns the record's fields. */
final class StepSegment {
    private static final Schema SCHEMA = new Schema(List.of(
            ArrowColumns.digest("runId"),
            ArrowColumns.int64("step"),
            ArrowColumns.bool("valid"),
            ArrowColumns.digest("stateRootBefore"),
            ArrowColumns.digest("stateRootAfter"),
            ArrowColumns.list("layout", ArrowColumns.int32("workerId")),
            ArrowColumns.text("reduction"),
            ArrowColumns.text("averaging"),
            ArrowColumns.int64("targetCount"),
            ArrowColumns.float64("learningRate"),
            ArrowColumns.list("workers", WorkerColumns.FIELD),
            ArrowColumns.digest("combinedRoot"),
            ArrowColumns.optionalDigest("exactExponentsRoot"),
            ArrowColumns.float64("norm"),
            ArrowColumns.float32("clip"),
            ArrowColumns.float32("loss"),
            ArrowColumns.digest("detectorDigest")));

    private StepSegment() {}

    static void write(List<StepRecord> records, OutputStream out) throws IOException {
        ArrowFiles.write(SCHEMA, out, root -> {
            Columns columns = new Columns(root);
            for (int row = 0; row < records.size(); row++) {
                columns.put(row, records.get(row));
            }
            return records.size();
        });
    }

    static List<StepRecord> read(RecordingStore store, RecordingPath path, int maxRows) throws ProtocolException {
        return ArrowFiles.read(store, path, SCHEMA, root -> {
            int rows = root.getRowCount();
            if (rows < 1 || rows > maxRows) {
                throw ProtocolException.malformed("%s: from 1 to %d steps are expected, has %d", path, maxRows, rows);
            }
            Columns columns = new Columns(root);
            List<StepRecord> records = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                records.add(columns.get(row));
            }
            return records;
        });
    }

    private static final class Columns {
        private final FixedSizeBinaryVector runId;
        private final BigIntVector step;
        private final BitVector valid;
        private final FixedSizeBinaryVector before;
        private final FixedSizeBinaryVector after;
        private final ListVector layout;
        private final VarCharVector reduction;
        private final VarCharVector averaging;
        private final BigIntVector targetCount;
        private final Float8Vector learningRate;
        private final ListVector workers;
        private final WorkerColumns worker;
        private final FixedSizeBinaryVector combinedRoot;
        private final FixedSizeBinaryVector exponentsRoot;
        private final Float8Vector norm;
        private final Float4Vector clip;
        private final Float4Vector loss;
        private final FixedSizeBinaryVector detectors;

        Columns(VectorSchemaRoot root) {
            List<FieldVector> all = root.getFieldVectors();
            runId = column(all, "runId", FixedSizeBinaryVector.class);
            step = column(all, "step", BigIntVector.class);
            valid = column(all, "valid", BitVector.class);
            before = column(all, "stateRootBefore", FixedSizeBinaryVector.class);
            after = column(all, "stateRootAfter", FixedSizeBinaryVector.class);
            layout = column(all, "layout", ListVector.class);
            reduction = column(all, "reduction", VarCharVector.class);
            averaging = column(all, "averaging", VarCharVector.class);
            targetCount = column(all, "targetCount", BigIntVector.class);
            learningRate = column(all, "learningRate", Float8Vector.class);
            workers = column(all, "workers", ListVector.class);
            worker = new WorkerColumns((StructVector) workers.getDataVector());
            combinedRoot = column(all, "combinedRoot", FixedSizeBinaryVector.class);
            exponentsRoot = column(all, "exactExponentsRoot", FixedSizeBinaryVector.class);
            norm = column(all, "norm", Float8Vector.class);
            clip = column(all, "clip", Float4Vector.class);
            loss = column(all, "loss", Float4Vector.class);
            detectors = column(all, "detectorDigest", FixedSizeBinaryVector.class);
        }

        void put(int row, StepRecord record) {
            ArrowColumns.put(runId, row, record.runId().digest());
            step.setSafe(row, record.step().value());
            valid.setSafe(row, record.valid() ? 1 : 0);
            ArrowColumns.put(before, row, record.stateRootBefore().digest());
            ArrowColumns.put(after, row, record.stateRootAfter().digest());
            IntVector ids = (IntVector) layout.getDataVector();
            int first = layout.startNewValue(row);
            List<WorkerId> order = record.layout().workers();
            for (int i = 0; i < order.size(); i++) {
                ids.setSafe(first + i, order.get(i).value());
            }
            layout.endValue(row, order.size());
            reduction.setSafe(row, record.reduction().getBytes(StandardCharsets.UTF_8));
            averaging.setSafe(row, record.averaging().name().getBytes(StandardCharsets.UTF_8));
            targetCount.setSafe(row, record.targetCount());
            learningRate.setSafe(row, record.learningRate());
            int firstWorker = workers.startNewValue(row);
            for (int i = 0; i < record.workers().size(); i++) {
                worker.put(firstWorker + i, record.workers().get(i));
            }
            workers.endValue(row, record.workers().size());
            ArrowColumns.put(combinedRoot, row, record.combinedRoot().digest());
            ArrowColumns.put(exponentsRoot, row, record.exactExponentsRoot());
            norm.setSafe(row, record.norm());
            clip.setSafe(row, record.clip());
            loss.setSafe(row, record.loss());
            ArrowColumns.put(detectors, row, record.detectorDigest());
        }

        StepRecord get(int row) {
            IntVector ids = (IntVector) layout.getDataVector();
            List<WorkerId> order = new ArrayList<>();
            for (int i = layout.getElementStartIndex(row); i < layout.getElementEndIndex(row); i++) {
                order.add(new WorkerId(ids.get(i)));
            }
            List<WorkerRecord> records = new ArrayList<>();
            for (int i = workers.getElementStartIndex(row); i < workers.getElementEndIndex(row); i++) {
                records.add(worker.get(i));
            }
            return new StepRecord(
                    new RunId(ArrowColumns.digest(runId, row)),
                    new StepIndex(step.get(row)),
                    valid.get(row) == 1,
                    new StateRoot(ArrowColumns.digest(before, row)),
                    new StateRoot(ArrowColumns.digest(after, row)),
                    new Layout(order),
                    new String(reduction.get(row), StandardCharsets.UTF_8),
                    Averaging.ofText(new String(averaging.get(row), StandardCharsets.UTF_8)),
                    targetCount.get(row),
                    learningRate.get(row),
                    records,
                    new CombinedRoot(ArrowColumns.digest(combinedRoot, row)),
                    ArrowColumns.optionalDigest(exponentsRoot, row),
                    norm.get(row),
                    clip.get(row),
                    loss.get(row),
                    ArrowColumns.digest(detectors, row));
        }
    }
}
