package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepProgram;

/** How much an engine holds beside parameters, gradients and activations, known before anything is allocated. */
public final class MemoryNeeds {
    // The largest of the vector backend's tiles; a machine with smaller ones needs less.
    private static final int TILE_ROWS = 12;
    private static final int TILE_COLUMNS = 32;
    private static final int CHUNK = 512;
    private static final int ROW_STRIDE = CHUNK + 16;
    private static final int LEFT_BLOCK = 96 * 1024;
    private static final int MOST_PANELS = 64;
    private static final int ATTENTION_ROWS = 4 * 96;

    private MemoryNeeds() {}

    /** Bytes for the gradients of the micro-batches after a worker's first. */
    public static long accumulatorBytes(StepProgram program, ModelTensors tensors, Economy economy) {
        return economy.inPlace() ? GradientPool.bytes(program, tensors.gradients()) : bytes(tensors.gradients());
    }

    /** Bytes of the parameters that are in memory at a time. */
    public static long parameterBytes(StepProgram program, ModelTensors tensors, Economy economy) {
        return economy.paged() ? ParameterPages.bytes(program, tensors) : bytes(tensors.parameters());
    }

    private static long bytes(List<Tensor> tensors) {
        return tensors.stream()
                .mapToLong(tensor -> (long) tensor.size() * Float.BYTES)
                .sum();
    }

    /**
     * Bytes of the vector backend's copies of operands in the order in which a product reads them. Buffers grow with the
     * products as they come, and the old one is still there while the new one is made.
     */
    public static long packedBytes(StepProgram program, int threads) {
        Growing left = new Growing();
        Growing right = new Growing();
        long attention = 0;
        for (Operator operator : program.operators()) {
            switch (operator) {
                case Linear op ->
                    product(op.x().rows(), op.y().columns(), op.x().columns(), threads, left, right);
                case LinearInputGradient op ->
                    product(op.dy().rows(), op.dx().columns(), op.dy().columns(), threads, left, right);
                case LinearWeightGradient op ->
                    product(op.dWeight().rows(), op.dWeight().columns(), op.x().rows(), threads, left, right);
                case EmbeddingGradient op -> left.atLeast(op.dOut().size());
                case Attention op -> attention = Math.max(attention, attention(op.shape()));
                default -> {
                    // Works on rows, with buffers of a row.
                }
            }
        }
        return Math.multiplyExact(left.most + right.most + Math.multiplyExact(attention, threads), (long) Float.BYTES);
    }

    private static long attention(AttentionShape shape) {
        return 8L * shape.length() * shape.headDim() + 2L * ATTENTION_ROWS * (shape.length() + CHUNK);
    }

    private static void product(long m, long n, long k, int threads, Growing left, Growing right) {
        long chunks = Math.ceilDiv(k, CHUNK);
        long panels = Math.ceilDiv(m, TILE_ROWS);
        if (threads == 1) {
            panels = Math.min(panels, Math.clamp(LEFT_BLOCK / (k * TILE_ROWS), 1, MOST_PANELS));
        }
        left.atLeast(panels * chunks * TILE_ROWS * ROW_STRIDE);
        right.atLeast(Math.multiplyExact(Math.ceilDiv(n, TILE_COLUMNS) * TILE_COLUMNS, k));
    }

    /** A buffer that is replaced by a larger one. */
    private static final class Growing {
        private long now;
        private long most;

        void atLeast(long floats) {
            if (floats > now) {
                most = Math.max(most, Math.addExact(now, floats));
                now = floats;
            }
        }
    }
}
