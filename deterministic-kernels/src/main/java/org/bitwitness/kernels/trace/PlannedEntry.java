package org.bitwitness.kernels.trace;

import java.util.List;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.tensor.Shape;

/**
 * What is known of a trace entry before anything is computed.
 *
 * @param index position in the worker's trace, from 0
 * @param op kind of operator: {@code linear}
 * @param name place in the model: {@code transformer.h.0.attn.c_attn}
 * @param phase part of the step
 * @param microBatch position in the worker's list; for {@code emit} the last one
 * @param inputs in the operator's order
 * @param outputs in the operator's order
 */
public record PlannedEntry(
        int index,
        String op,
        String name,
        Phase phase,
        int microBatch,
        List<TensorSource> inputs,
        List<Output> outputs) {
    /** A tensor that is written: the name and shape of its leaf. */
    public record Output(String name, Shape shape) {}

    public PlannedEntry {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }
}
