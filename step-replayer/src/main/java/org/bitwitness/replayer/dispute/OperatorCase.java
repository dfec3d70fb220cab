package org.bitwitness.replayer.dispute;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.Shape;

/**
 * The one operator that is left: everything that decides its output, by agreed roots.
 *
 * @param entry the operator
 * @param output which of its outputs is disputed: the first that differs
 * @param trainer root of that output by the trainer's trace
 * @param auditor the same by the auditor's
 * @param inputs roots of the tensors it reads, proven
 * @param rowsRoot of the micro-batch, where it reads one
 */
public record OperatorCase(
        DisputedUnit unit,
        PlannedEntry entry,
        int output,
        Sha256 trainer,
        Sha256 auditor,
        Map<TensorSource, Sha256> inputs,
        Scalars scalars,
        Optional<Sha256> rowsRoot) {
    public OperatorCase {
        inputs = Map.copyOf(inputs);
    }

    /** Name of the disputed tensor. */
    public String tensor() {
        return entry.outputs().get(output).name();
    }

    /** Tensors that decide one output of an entry. Gradients are added and handed over tensor by tensor. */
    static List<TensorSource> sources(PlannedEntry entry, int output) {
        if (entry.phase() == Phase.EMIT) {
            return List.of(entry.inputs().get(output));
        }
        return entry.phase() == Phase.ACCUMULATE
                ? List.of(
                        entry.inputs().get(output),
                        entry.inputs().get(entry.outputs().size() + output))
                : entry.inputs();
    }

    /** How many elements each of its inputs has. */
    public Map<TensorSource, Integer> sizes() {
        ParameterManifest manifest =
                ParameterManifest.of(RunSetup.model(unit.premise().descriptor()));
        Map<TensorSource, Integer> sizes = new HashMap<>();
        for (TensorSource source : inputs.keySet()) {
            switch (source) {
                case TensorSource.EntryOutput from ->
                    sizes.put(
                            source,
                            elements(unit.entries()
                                    .get(from.entry())
                                    .outputs()
                                    .get(from.output())
                                    .shape()));
                case TensorSource.StateTensor tensor ->
                    sizes.put(source, elements(manifest.get(tensor.name()).shape()));
                case TensorSource.Batch _, TensorSource.Constant _ -> {}
            }
        }
        return sizes;
    }

    private static int elements(Shape shape) {
        return Math.toIntExact(shape.elementCount());
    }

    /** Shape of the micro-batch that it belongs to. */
    public BatchShape batchShape() {
        return unit.shape(entry.microBatch());
    }

    /** True where executing it reads no tensor's data: handing over changes nothing. */
    public boolean isHandOver() {
        return entry.phase() == Phase.EMIT;
    }
}
