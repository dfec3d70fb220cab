package org.bitwitness.protocol.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Schema;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.store.RecordingStore;

/**
 * {@code traces/<first step>.arrow}: one row for each step and worker, ordered by step and then by worker id. Item i of
 * {@code outputs} holds the roots of entry i's outputs, 32 bytes each, one after the other.
 */
final class TraceSegment {
    private static final Schema SCHEMA = new Schema(List.of(
            ArrowColumns.int64("step"),
            ArrowColumns.int32("workerId"),
            ArrowColumns.list("outputs", ArrowColumns.binary("roots"))));

    private TraceSegment() {}

    static void write(List<StepTrace> traces, OutputStream out) throws IOException {
        ArrowFiles.write(SCHEMA, out, root -> {
            Columns columns = new Columns(root);
            int row = 0;
            for (StepTrace trace : traces) {
                for (Map.Entry<WorkerId, List<List<Sha256>>> worker : new TreeMap<>(trace.outputs()).entrySet()) {
                    columns.put(row++, trace.step(), worker.getKey(), worker.getValue());
                }
            }
            return row;
        });
    }

    /** Every worker's outputs, by step. */
    static Map<StepIndex, StepTrace> read(RecordingStore store, RecordingPath path) throws ProtocolException {
        return ArrowFiles.read(store, path, SCHEMA, root -> {
            Columns columns = new Columns(root);
            Map<StepIndex, Map<WorkerId, List<List<Sha256>>>> byStep = new TreeMap<>();
            for (int row = 0; row < root.getRowCount(); row++) {
                StepIndex step = new StepIndex(columns.step.get(row));
                WorkerId worker = new WorkerId(columns.workerId.get(row));
                Map<WorkerId, List<List<Sha256>>> workers = byStep.computeIfAbsent(step, any -> new TreeMap<>());
                if (workers.put(worker, columns.outputs(path, row)) != null) {
                    throw ProtocolException.malformed("%s: step %s has worker %s twice", path, step, worker);
                }
            }
            Map<StepIndex, StepTrace> traces = new TreeMap<>();
            byStep.forEach((step, workers) -> traces.put(step, new StepTrace(step, workers)));
            return traces;
        });
    }

    private static final class Columns {
        private final BigIntVector step;
        private final IntVector workerId;
        private final ListVector outputs;
        private final VarBinaryVector roots;

        Columns(VectorSchemaRoot root) {
            List<FieldVector> all = root.getFieldVectors();
            step = ArrowColumns.column(all, "step", BigIntVector.class);
            workerId = ArrowColumns.column(all, "workerId", IntVector.class);
            outputs = ArrowColumns.column(all, "outputs", ListVector.class);
            roots = (VarBinaryVector) outputs.getDataVector();
        }

        void put(int row, StepIndex at, WorkerId worker, List<List<Sha256>> entries) {
            step.setSafe(row, at.value());
            workerId.setSafe(row, worker.value());
            int first = outputs.startNewValue(row);
            for (int i = 0; i < entries.size(); i++) {
                List<Sha256> entry = entries.get(i);
                ByteBuffer bytes = ByteBuffer.allocate(entry.size() * Sha256.BYTES);
                entry.forEach(root -> root.write(bytes));
                roots.setSafe(first + i, bytes.array());
            }
            outputs.endValue(row, entries.size());
        }

        List<List<Sha256>> outputs(RecordingPath path, int row) throws ProtocolException {
            List<List<Sha256>> entries = new ArrayList<>();
            for (int i = outputs.getElementStartIndex(row); i < outputs.getElementEndIndex(row); i++) {
                byte[] bytes = roots.get(i);
                if (bytes.length % Sha256.BYTES != 0) {
                    throw ProtocolException.malformed(
                            "%s: row %d entry %d should be roots of 32 bytes, has %d bytes",
                            path, row, entries.size(), bytes.length);
                }
                List<Sha256> entry = new ArrayList<>();
                ByteBuffer in = ByteBuffer.wrap(bytes);
                while (in.hasRemaining()) {
                    entry.add(Sha256.read(in));
                }
                entries.add(List.copyOf(entry));
            }
            return List.copyOf(entries);
        }
    }
}
