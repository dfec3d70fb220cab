package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Economy;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.protocol.record.ModelSpec.Family;

/**
 * A model's forward and backward over one micro-batch as data: operators in execution order over named tensors. Accumulation
 * over micro-batches and the hand-over to the reduction follow in {@link org.bitwitness.kernels.StepEngine}.
 *
 * <p>The operators write every gradient of {@link ModelTensors#gradients} completely.
 */
public final class StepProgram {
    private final List<Operator> operators;
    private final List<Tensor> activations;
    private final Tensor losses;
    private final List<List<Tensor>> rowOutputs;
    private final SharedStorage sharing;
    private final Recomputation recomputation;
    private final Map<Integer, List<Integer>> again;
    private final Map<Integer, List<Integer>> againInBlocks;

    /**
     * What a builder knows of the activations.
     *
     * @param all every one
     * @param rows those that a profile may store in fewer bits
     * @param shared groups of which one is needed at a time
     */
    record Activations(List<Tensor> all, Set<Tensor> rows, List<List<Tensor>> shared) {}

    /**
     * @param blocks the model's blocks, ascending
     */
    StepProgram(List<Operator> operators, Activations activations, Tensor losses, List<BlockSpan> blocks) {
        this.operators = List.copyOf(operators);
        this.activations = List.copyOf(activations.all());
        this.losses = losses;
        this.rowOutputs = operators.stream()
                .map(op -> op.outputs().stream()
                        .filter(activations.rows()::contains)
                        .toList())
                .toList();
        this.sharing = new SharedStorage(this.operators, activations.shared());
        this.recomputation = Recomputation.of(
                this.operators,
                this.activations.stream()
                        .filter(tensor -> !sharing.contains(tensor))
                        .toList(),
                blocks);
        this.again = sharing.again(Map.of());
        this.againInBlocks = sharing.again(recomputation.again());
    }

    /**
     * The program of a model for one batch shape.
     *
     * @throws IllegalArgumentException if the sequences are longer than the model's context
     */
    public static StepProgram of(ModelTensors tensors, BatchShape batch) {
        ModelConfig model = tensors.model();
        if (batch.length() > model.context()) {
            throw new IllegalArgumentException("the model's context is %d tokens, the sequences have %d: shorten them"
                    .formatted(model.context(), batch.length()));
        }
        if (model.family() == Family.MLP && batch.length() != model.context()) {
            throw new IllegalArgumentException(
                    "an mlp reads rows of exactly %d tokens, these have %d".formatted(model.context(), batch.length()));
        }
        return switch (model.family()) {
            case GPT2 -> new Gpt2Program(tensors, batch).build();
            case LLAMA -> new LlamaProgram(tensors, batch).build();
            case MLP -> new MlpProgram(tensors, batch).build();
        };
    }

    /** Forward, then backward. */
    public List<Operator> operators() {
        return operators;
    }

    /**
     * Per operator those of its outputs that hold activations or their gradients, [N, channels]: what a profile with a
     * narrow storage rounds. Statistics of rows, losses and gradients of parameters are not among them.
     */
    public List<List<Tensor>> rowOutputs() {
        return rowOutputs;
    }

    /** Token losses [N] of the micro-batch. */
    public Tensor losses() {
        return losses;
    }

    /** Operators to run once more before this one: what they write has been overwritten since. */
    public List<Integer> runAgainBefore(int operator, Economy economy) {
        return (economy.recompute() ? againInBlocks : again).getOrDefault(operator, List.of());
    }

    /** Gives the activations storage, to be reused by every later execution. */
    public void allocate(Backend backend, Economy economy) {
        Set<Tensor> served = new HashSet<>();
        for (List<Tensor> group : sharedStorage(economy)) {
            Tensor first = group.getFirst();
            backend.allocate(first);
            group.forEach(tensor -> tensor.attach(first.storage().orElseThrow()));
            served.addAll(group);
        }
        activations.stream().filter(tensor -> !served.contains(tensor)).forEach(backend::allocate);
    }

    /** Bytes that {@link #allocate} takes. */
    public long activationBytes(Economy economy) {
        long all = bytes(activations);
        for (List<Tensor> group : sharedStorage(economy)) {
            all -= bytes(group.subList(1, group.size()));
        }
        return all;
    }

    /** Tensors of which one array serves each list. */
    private List<List<Tensor>> sharedStorage(Economy economy) {
        List<List<Tensor>> groups = new ArrayList<>(sharing.groups());
        if (economy.recompute()) {
            groups.addAll(recomputation.shared());
        }
        return groups;
    }

    private static long bytes(List<Tensor> tensors) {
        long bytes = 0;
        for (Tensor tensor : tensors) {
            bytes = Math.addExact(bytes, (long) tensor.size() * Float.BYTES);
        }
        return bytes;
    }
}
