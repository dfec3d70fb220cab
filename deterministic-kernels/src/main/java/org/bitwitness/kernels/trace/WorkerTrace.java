package org.bitwitness.kernels.trace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.TensorId;

/**
 * The complete trace of one worker's step.
 *
 * @param entries in execution order; the last is {@code emit}
 */
public record WorkerTrace(List<TraceEntry> entries) {
    public WorkerTrace {
        entries = List.copyOf(entries);
        if (entries.isEmpty() || !entries.getLast().planned().op().equals(TracePlan.EMIT)) {
            throw new IllegalArgumentException("a complete trace ends with " + TracePlan.EMIT);
        }
    }

    /** MTH over the entries. */
    public TraceRoot traceRoot() {
        MerkleHasher tree = new MerkleHasher();
        entries.forEach(entry -> tree.add(MerkleTree.leafHash(entry.toBytes())));
        return new TraceRoot(tree.root());
    }

    /** tensorsRoot over the outputs of {@code emit}. */
    public GradientRoot gradientRoot() {
        TraceEntry emit = entries.getLast();
        Map<String, byte[]> leaves = new LinkedHashMap<>();
        for (int o = 0; o < emit.outputRoots().size(); o++) {
            PlannedEntry.Output output = emit.planned().outputs().get(o);
            leaves.put(
                    output.name(),
                    TensorDigests.tensorLeaf(
                            new TensorId(output.name(), DType.F32, output.shape()),
                            output.shape().elementCount() * Float.BYTES,
                            emit.outputRoots().get(o)));
        }
        return new GradientRoot(TensorDigests.tensorsRoot(leaves));
    }
}
