package org.bitwitness.kernels;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepProgram;

/** The parameters that one operator reads, and no others: read from the state before it, given up when the next needs none. */
final class ParameterPages {
    private final Backend backend;
    private final ModelTensors tensors;
    private final HostState state;
    private final Map<Tensor, Integer> positions;
    private final Set<Tensor> bound = new HashSet<>();

    ParameterPages(Backend backend, ModelTensors tensors, HostState state) {
        this.backend = backend;
        this.tensors = tensors;
        this.state = state;
        this.positions = positions(tensors);
    }

    private static Map<Tensor, Integer> positions(ModelTensors tensors) {
        Map<Tensor, Integer> positions = new HashMap<>();
        for (int i = 0; i < tensors.parameters().size(); i++) {
            positions.put(tensors.parameters().get(i), i);
        }
        return positions;
    }

    /** Bytes of the parameters that are here during the operator that reads most. */
    static long bytes(StepProgram program, ModelTensors tensors) {
        Map<Tensor, Integer> positions = positions(tensors);
        long most = 0;
        for (Operator operator : program.operators()) {
            long bytes = operator.inputs().stream()
                    .filter(positions::containsKey)
                    .mapToLong(tensor -> (long) tensor.size() * Float.BYTES)
                    .sum();
            most = Math.max(most, bytes);
        }
        return most;
    }

    /** Makes what the operator reads ready. */
    void before(Operator operator) {
        Set<Tensor> needed = new HashSet<>(operator.inputs());
        for (Tensor tensor : List.copyOf(bound)) {
            if (!needed.contains(tensor)) {
                drop(tensor);
            }
        }
        for (Tensor tensor : operator.inputs()) {
            Integer position = positions.get(tensor);
            if (position != null && bound.add(tensor)) {
                bind(tensor, position);
            }
        }
    }

    /** No operator follows. */
    void end() {
        List.copyOf(bound).forEach(this::drop);
    }

    private void bind(Tensor tensor, int position) {
        float[] numbers = state.parameter(position);
        if (!tensors.profile().storesBf16()) {
            backend.bind(tensor, numbers);
            return;
        }
        // The step reads a rounded copy, the update the master.
        backend.bind(tensor, state.inMemory() ? numbers.clone() : numbers);
        backend.roundToBf16(List.of(tensor));
    }

    private void drop(Tensor tensor) {
        bound.remove(tensor);
        backend.release(List.of(tensor));
        tensor.detach();
    }
}
