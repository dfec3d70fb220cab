package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;

/** What the builders of all families share: declaring tensors, appending operators, residual branches. */
abstract class ProgramBuilder {
    final ModelTensors tensors;
    final ModelConfig model;
    final BatchShape batch;
    final AttentionShape attention;
    final List<Operator> operators = new ArrayList<>();
    private final List<Tensor> activations = new ArrayList<>();
    private final Set<Tensor> rows = new HashSet<>();
    private final Map<String, List<Tensor>> shared = new TreeMap<>();
    private final int[][] spans;
    private final int rowCount;

    /** With a row for every token. */
    ProgramBuilder(ModelTensors tensors, BatchShape batch) {
        this(tensors, batch, batch.tokens());
    }

    /** @param rowCount N of activations: tokens, or sequences */
    ProgramBuilder(ModelTensors tensors, BatchShape batch, int rowCount) {
        this.rowCount = rowCount;
        this.tensors = tensors;
        this.model = tensors.model();
        this.batch = batch;
        this.spans = new int[tensors.model().layers()][4];
        this.attention =
                new AttentionShape(batch.sequences(), batch.length(), model.heads(), model.kvHeads(), model.headDim());
    }

    final StepProgram finish(Tensor losses) {
        List<BlockSpan> blocks = new ArrayList<>();
        for (int[] at : spans) {
            blocks.add(new BlockSpan(at[0], at[1], at[2], at[3]));
        }
        StepProgram.Activations all = new StepProgram.Activations(activations, rows, List.copyOf(shared.values()));
        return new StepProgram(operators, all, losses, blocks);
    }

    /** Notes that {@code add} adds the forward of a block. */
    final void forwardOf(int layer, Runnable add) {
        spans[layer][0] = operators.size();
        add.run();
        spans[layer][1] = operators.size();
    }

    /** Notes that {@code add} adds the backward of a block. */
    final void backwardOf(int layer, Runnable add) {
        spans[layer][2] = operators.size();
        add.run();
        spans[layer][3] = operators.size();
    }

    final void add(Operator operator) {
        operators.add(operator);
    }

    /** [N, columns]. */
    final Tensor rows(String name, int columns) {
        Tensor tensor = activation(name, Shape.of(rowCount, columns));
        rows.add(tensor);
        return tensor;
    }

    /**
     * [N, columns], in an array that all tensors of this role share: cheap to compute again, so that the backward can.
     *
     * @param role of the tensor in its block
     */
    final Tensor cheapRows(String role, String name, int columns) {
        Tensor tensor = rows(name, columns);
        shared.computeIfAbsent(role, r -> new ArrayList<>()).add(tensor);
        return tensor;
    }

    /** [N]. */
    final Tensor perToken(String name) {
        return activation(name, Shape.of(rowCount));
    }

    /** [S·H·T]: one value per row of attention scores. */
    final Tensor perScoreRow(String name) {
        return activation(name, Shape.of(attention.rows()));
    }

    private Tensor activation(String name, Shape shape) {
        Tensor tensor = Tensor.declare(name, shape);
        activations.add(tensor);
        return tensor;
    }

    final Tensor parameter(String name) {
        return tensors.parameter(name);
    }

    final Tensor gradient(String name) {
        return tensors.gradient(name);
    }

    /** (float)(1.0/√(double) headDim). */
    final float attentionScale() {
        return (float) (1.0 / Math.sqrt((double) model.headDim()));
    }

    final float normEps() {
        return (float) model.normEps();
    }

    /** The embedding's dropout has number 0, block ℓ has 3ℓ+1 to 3ℓ+3. */
    final DropoutSite embeddingDropout() {
        return model.dropout().embd().site(0);
    }

    final DropoutSite probabilityDropout(int layer) {
        return model.dropout().attn().site(3 * layer + 1);
    }

    final DropoutSite attentionDropout(int layer) {
        return model.dropout().resid().site(3 * layer + 2);
    }

    final DropoutSite mlpDropout(int layer) {
        return model.dropout().resid().site(3 * layer + 3);
    }

    /** next = x + drop(branch). */
    final void residual(String name, Tensor x, Tensor branch, DropoutSite dropout, Tensor next) {
        add(new DropoutAdd(name, x, branch, dropout, next));
    }

    /** The gradient that enters a branch: dx itself without dropout, else its masked copy in {@code scratch}. */
    final Tensor branchGradient(String name, Tensor dx, DropoutSite dropout, Tensor scratch) {
        if (!dropout.active()) {
            return dx;
        }
        add(new DropoutGradient(name, dx, dropout, scratch));
        return scratch;
    }

    /** A linear layer as a model stores it. */
    record Layer(String name, WeightLayout layout, boolean biased) {
        String weight() {
            return name + ".weight";
        }

        Optional<String> bias() {
            return biased ? Optional.of(name + ".bias") : Optional.empty();
        }
    }

    final void linear(Layer layer, Tensor x, Tensor y) {
        add(new Linear(
                layer.name(), x, parameter(layer.weight()), layer.bias().map(this::parameter), layer.layout(), y));
    }

    final void weightGradient(Layer layer, Tensor x, Tensor dy) {
        add(new LinearWeightGradient(
                layer.name(),
                x,
                dy,
                layer.layout(),
                gradient(layer.weight()),
                layer.bias().map(this::gradient)));
    }

    /** dx = DOT, or dx = dx + DOT. */
    final void inputGradient(Layer layer, Tensor dy, boolean addTo, Tensor dx) {
        add(new LinearInputGradient(layer.name(), dy, parameter(layer.weight()), layer.layout(), addTo, dx));
    }
}
