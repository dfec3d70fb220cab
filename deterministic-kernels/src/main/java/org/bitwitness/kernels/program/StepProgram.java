package org.bitwitness.kernels.program;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Economy;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;

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
    private final Recomputation recomputation;

    /**
     * @param rows those of the activations that a profile may store in fewer bits
     * @param blocks the model's blocks, ascending
     */
    StepProgram(
            List<Operator> operators,
            List<Tensor> activations,
            Set<Tensor> rows,
            Tensor losses,
            List<BlockSpan> blocks) {
        this.operators = List.copyOf(operators);
        this.activations = List.copyOf(activations);
        this.losses = losses;
        this.rowOutputs = operators.stream()
                .map(op -> op.outputs().stream().filter(rows::contains).toList())
                .toList();
        this.recomputation = Recomputation.of(this.operators, this.activations, blocks);
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
        return switch (model.family()) {
            case GPT2 -> new Gpt2Program(tensors, batch).build();
            case LLAMA -> new LlamaProgram(tensors, batch).build();
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

    /**
     * Forward operators to run once more before this one, where activations are recomputed: what they write has been
     * overwritten since.
     */
    public List<Integer> recomputedBefore(int operator) {
        return recomputation.before(operator);
    }

    /** Gives the activations storage, to be reused by every later execution. */
    public void allocate(Backend backend, Economy economy) {
        if (!economy.recompute()) {
            activations.forEach(backend::allocate);
            return;
        }
        Set<Tensor> shared = new HashSet<>();
        List<List<Tensor>> inner = recomputation.inner();
        for (List<Tensor> block : inner) {
            for (int i = 0; i < block.size(); i++) {
                Tensor first = inner.getFirst().get(i);
                if (!first.shape().equals(block.get(i).shape())) {
                    throw new IllegalStateException("blocks differ: %s and %s".formatted(first, block.get(i)));
                }
            }
            shared.addAll(block);
        }
        activations.stream().filter(tensor -> !shared.contains(tensor)).forEach(backend::allocate);
        if (!inner.isEmpty()) {
            inner.getFirst().forEach(backend::allocate);
        }
        for (List<Tensor> block : inner) {
            for (int i = 0; i < block.size(); i++) {
                block.get(i).attach(inner.getFirst().get(i).storage().orElseThrow());
            }
        }
    }

    /** Bytes that {@link #allocate} takes. */
    public long activationBytes(Economy economy) {
        long all = bytes(activations);
        if (!economy.recompute()) {
            return all;
        }
        List<List<Tensor>> inner = recomputation.inner();
        for (List<Tensor> block : inner.subList(Math.min(1, inner.size()), inner.size())) {
            all -= bytes(block);
        }
        return all;
    }

    private static long bytes(List<Tensor> tensors) {
        long bytes = 0;
        for (Tensor tensor : tensors) {
            bytes = Math.addExact(bytes, (long) tensor.size() * Float.BYTES);
        }
        return bytes;
    }
}
