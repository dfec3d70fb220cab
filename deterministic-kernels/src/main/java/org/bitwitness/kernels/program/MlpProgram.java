package org.bitwitness.kernels.program;

import java.util.Optional;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.Dropout;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.WeightLayout;

/**
 * MLP: x = drop(embed[id]) of all T tokens side by side, a row per sequence; per hidden layer x = drop(GELU(W·x + b)); logits =
 * head·x + b; one target a row, the last.
 */
final class MlpProgram extends ProgramBuilder {
    private final Tensor x;
    private final Hidden[] hidden;
    private final Tensor logits;
    private final Tensor losses;
    // Gradients of activations; one set serves all layers but the first, whose input is wider.
    private final Tensor dOut;
    private final Tensor dInner;
    private final Tensor dx;

    /** A hidden layer; without dropout its output is the activation itself. */
    private record Hidden(Layer layer, Tensor x, Tensor inner, Tensor active, DropoutSite dropout, Tensor out) {}

    MlpProgram(ModelTensors tensors, BatchShape batch) {
        super(tensors, batch, batch.sequences());
        int width = batch.length() * model.width();
        this.x = rows("x", width);
        this.hidden = new Hidden[model.layers()];
        Tensor in = x;
        for (int layer = 0; layer < hidden.length; layer++) {
            hidden[layer] = hidden(layer, in);
            in = hidden[layer].out;
        }
        this.logits = rows("logits", model.vocab());
        this.losses = perToken("losses");
        this.dOut = rows("d.out", model.feedForward());
        this.dInner = rows("d.inner", model.feedForward());
        this.dx = rows("d.x", width);
    }

    private Hidden hidden(int layer, Tensor in) {
        String name = Names.mlpLayer(layer);
        Tensor inner = rows(name + ".inner", model.feedForward());
        Tensor active = rows(name + ".active", model.feedForward());
        DropoutSite dropout = mlpDropout(layer);
        Tensor out = dropout.active() ? rows(name + ".out", model.feedForward()) : active;
        return new Hidden(linearLayer(name), in, inner, active, dropout, out);
    }

    StepProgram build() {
        Layer head = linearLayer(Names.MLP_HEAD);
        Tensor last = hidden[hidden.length - 1].out;
        add(new Embedding("embed", parameter(Names.MLP_TOKENS), Optional.empty(), embeddingDropout(), x));
        for (int layer = 0; layer < hidden.length; layer++) {
            Hidden h = hidden[layer];
            forwardOf(layer, () -> forward(h));
        }
        linear(head, last, logits);
        add(new CrossEntropy("loss", logits, losses, logits));

        weightGradient(head, last, logits);
        inputGradient(head, logits, false, dOut);
        for (int layer = hidden.length - 1; layer >= 0; layer--) {
            Hidden h = hidden[layer];
            backwardOf(layer, () -> backward(h));
        }
        add(new EmbeddingGradient(
                "embed", dx, embeddingDropout(), false, gradient(Names.MLP_TOKENS), Optional.empty()));
        return finish(losses);
    }

    private void forward(Hidden h) {
        linear(h.layer, h.x, h.inner);
        add(new Gelu(h.layer.name() + ".act", h.inner, h.active));
        if (h.dropout.active()) {
            add(new Dropout(h.layer.name() + ".drop", h.active, h.dropout, h.out));
        }
    }

    private void backward(Hidden h) {
        if (h.dropout.active()) {
            add(new DropoutGradient(h.layer.name() + ".drop", dOut, h.dropout, dOut));
        }
        add(new GeluGradient(h.layer.name() + ".act", h.inner, dOut, dInner));
        weightGradient(h.layer, h.x, dInner);
        inputGradient(h.layer, dInner, false, h.x.equals(x) ? dx : dOut);
    }

    private static Layer linearLayer(String name) {
        return new Layer(name, WeightLayout.OUT_IN, true);
    }
}
