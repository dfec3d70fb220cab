package org.bitwitness.protocol.format;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Schema;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.store.RecordingStore;

/** {@code detectors/<first step>.arrow}: one row for each step and worker, by step and then in the order of the layout. */
final class DetectorSegment {
    private static final Schema SCHEMA = new Schema(List.of(
            ArrowColumns.int64("step"),
            ArrowColumns.int32("workerId"),
            ArrowColumns.float64("norm"),
            ArrowColumns.list("sketch", ArrowColumns.float32("value"))));

    private DetectorSegment() {}

    static void write(Map<StepIndex, List<DetectorInputs>> steps, OutputStream out) throws IOException {
        ArrowFiles.write(SCHEMA, out, root -> {
            Columns columns = new Columns(root);
            int row = 0;
            for (Map.Entry<StepIndex, List<DetectorInputs>> step : steps.entrySet()) {
                for (DetectorInputs worker : step.getValue()) {
                    columns.put(row++, step.getKey(), worker);
                }
            }
            return row;
        });
    }

    /** Every worker's inputs, by step. */
    static Map<StepIndex, List<DetectorInputs>> read(RecordingStore store, RecordingPath path)
            throws ProtocolException {
        return ArrowFiles.read(store, path, SCHEMA, root -> {
            Columns columns = new Columns(root);
            Map<StepIndex, List<DetectorInputs>> steps = new TreeMap<>();
            for (int row = 0; row < root.getRowCount(); row++) {
                StepIndex step = new StepIndex(columns.step.get(row));
                steps.computeIfAbsent(step, any -> new ArrayList<>()).add(columns.get(path, row));
            }
            return steps;
        });
    }

    private static final class Columns {
        private final BigIntVector step;
        private final IntVector workerId;
        private final Float8Vector norm;
        private final ListVector sketch;
        private final Float4Vector values;

        Columns(VectorSchemaRoot root) {
            List<FieldVector> all = root.getFieldVectors();
            step = ArrowColumns.column(all, "step", BigIntVector.class);
            workerId = ArrowColumns.column(all, "workerId", IntVector.class);
            norm = ArrowColumns.column(all, "norm", Float8Vector.class);
            sketch = ArrowColumns.column(all, "sketch", ListVector.class);
            values = (Float4Vector) sketch.getDataVector();
        }

        void put(int row, StepIndex at, DetectorInputs worker) {
            step.setSafe(row, at.value());
            workerId.setSafe(row, worker.worker().value());
            norm.setSafe(row, worker.norm());
            int first = sketch.startNewValue(row);
            for (int i = 0; i < worker.sketch().length; i++) {
                values.setSafe(first + i, worker.sketch()[i]);
            }
            sketch.endValue(row, worker.sketch().length);
        }

        DetectorInputs get(RecordingPath path, int row) throws ProtocolException {
            int first = sketch.getElementStartIndex(row);
            int count = sketch.getElementEndIndex(row) - first;
            if (count != DetectorInputs.SKETCH_SIZE) {
                throw ProtocolException.malformed(
                        "%s: row %d has a sketch of %d numbers, expected %d",
                        path, row, count, DetectorInputs.SKETCH_SIZE);
            }
            float[] numbers = new float[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = values.get(first + i);
            }
            return new DetectorInputs(new WorkerId(workerId.get(row)), norm.get(row), numbers);
        }
    }
}
