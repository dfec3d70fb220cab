package org.bitwitness.kernels.trace;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.TensorId;

/**
 * A leaf of a worker's trace: {@code E(op, index, op, name, phase, worker, microBatch, inputs, outputs)}. An input is
 * {@code E(entry-output, entry, output)}, {@code E(state-tensor, name)}, {@code E(batch, part)} or
 * {@code E(constant, name)}; an output is a tensorLeaf.
 *
 * @param planned what follows from the program
 * @param workerPosition position of the worker in the layout list
 * @param outputRoots tensorRoot of each output
 */
public record TraceEntry(PlannedEntry planned, int workerPosition, List<Sha256> outputRoots) {
    public TraceEntry {
        outputRoots = List.copyOf(outputRoots);
        if (outputRoots.size() != planned.outputs().size()) {
            throw new IllegalArgumentException("trace entry %d (%s %s) has %d outputs, got %d roots"
                    .formatted(
                            planned.index(),
                            planned.op(),
                            planned.name(),
                            planned.outputs().size(),
                            outputRoots.size()));
        }
    }

    /** Canonical bytes, the data of the Merkle leaf. */
    public byte[] toBytes() {
        return CanonicalEncoder.of("op")
                .u64(planned.index())
                .text(planned.op())
                .text(planned.name())
                .text(planned.phase().text())
                .u64(workerPosition)
                .u64(planned.microBatch())
                .list(planned.inputs().stream().map(TraceEntry::bytes).toList())
                .list(outputLeaves())
                .toBytes();
    }

    private List<byte[]> outputLeaves() {
        List<byte[]> leaves = new ArrayList<>();
        for (int o = 0; o < outputRoots.size(); o++) {
            PlannedEntry.Output output = planned.outputs().get(o);
            leaves.add(TensorDigests.tensorLeaf(
                    new TensorId(output.name(), DType.F32, output.shape()),
                    output.shape().elementCount() * Float.BYTES,
                    outputRoots.get(o)));
        }
        return leaves;
    }

    private static byte[] bytes(TensorSource source) {
        return switch (source) {
            case TensorSource.EntryOutput from ->
                CanonicalEncoder.of("entry-output")
                        .u64(from.entry())
                        .u64(from.output())
                        .toBytes();
            case TensorSource.StateTensor tensor ->
                CanonicalEncoder.of("state-tensor").text(tensor.name()).toBytes();
            case TensorSource.Batch batch ->
                CanonicalEncoder.of("batch").text(batch.part()).toBytes();
            case TensorSource.Constant constant ->
                CanonicalEncoder.of("constant").text(constant.name()).toBytes();
        };
    }
}
