package org.bitwitness.kernels.program;

import java.util.Optional;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.WeightLayout;

/**
 * GPT-2: x = drop(wte[id] + wpe[pos]); per block x = x + drop(attn(LN1 x)), then x = x + drop(W2·GELU(W1·LN2 x)); final
 * LayerNorm; logits by the token embedding (or an untied head).
 */
final class Gpt2Program extends ProgramBuilder {
    private static final String ACTIVE = "active";

    private final int width;
    private final Tensor branch;
    private final Tensor logits;
    private final Tensor losses;
    private final Block[] blocks;
    private final Norm finalNorm;
    private final Layer head;
    // Gradients of activations; one set serves all blocks.
    private final Tensor dx;
    private final Tensor dNorm;
    private final Tensor dBranch;
    private final Tensor dAttention;
    private final Tensor dQkv;
    private final Tensor dInner;

    /** A LayerNorm with its input and what its backward needs. */
    private record Norm(String name, Tensor x, Tensor y, Tensor mean, Tensor rstd) {}

    /** Tensors of one block that the backward reads. */
    private record Block(
            Norm norm1,
            Tensor qkv,
            Attention attention,
            Tensor middle,
            Norm norm2,
            Tensor inner,
            Tensor active,
            Tensor out) {}

    Gpt2Program(ModelTensors tensors, BatchShape batch) {
        super(tensors, batch);
        this.width = model.width();
        this.branch = rows("branch", width);
        this.blocks = new Block[model.layers()];
        Tensor x = rows("x", width);
        for (int layer = 0; layer < blocks.length; layer++) {
            blocks[layer] = block(layer, x);
            x = blocks[layer].out;
        }
        this.finalNorm = norm("final", Names.GPT2_FINAL_NORM, x);
        this.logits = rows("logits", model.vocab());
        this.losses = perToken("losses");
        String matrix = model.tied() ? Names.GPT2_TOKENS : Names.HEAD;
        this.head = new Layer(matrix.substring(0, matrix.length() - ".weight".length()), WeightLayout.OUT_IN, false);
        this.dx = rows("d.x", width);
        this.dNorm = rows("d.norm", width);
        this.dBranch = rows("d.branch", width);
        this.dAttention = rows("d.attention", width);
        this.dQkv = rows("d.qkv", 3 * width);
        // When it is written, the block's active is needed no more.
        this.dInner = cheapRows(ACTIVE, "d.inner", model.feedForward());
    }

    private Block block(int layer, Tensor x) {
        String h = Names.gpt2Block(layer);
        Norm norm1 = norm("norm1", h + "ln_1", x);
        Tensor qkv = rows(h + "attn.qkv", 3 * width);
        Attention attn = new Attention(
                h + "attn",
                attention,
                new HeadsView(qkv, 0),
                new HeadsView(qkv, width),
                new HeadsView(qkv, 2 * width),
                attentionScale(),
                probabilityDropout(layer),
                rows(h + "attn.out", width),
                perScoreRow(h + "attn.max"),
                perScoreRow(h + "attn.sum"));
        Tensor middle = rows(h + "middle", width);
        Norm norm2 = norm("norm2", h + "ln_2", middle);
        Tensor inner = rows(h + "mlp.inner", model.feedForward());
        Tensor active = cheapRows(ACTIVE, h + "mlp.active", model.feedForward());
        return new Block(norm1, qkv, attn, middle, norm2, inner, active, rows(h + "out", width));
    }

    private Norm norm(String role, String name, Tensor x) {
        return new Norm(
                name, x, cheapRows(role, name + ".y", width), perToken(name + ".mean"), perToken(name + ".rstd"));
    }

    StepProgram build() {
        Optional<Tensor> positions = Optional.of(parameter(Names.GPT2_POSITIONS));
        Tensor x = blocks[0].norm1.x;
        add(new Embedding("transformer.wte", parameter(Names.GPT2_TOKENS), positions, embeddingDropout(), x));
        for (int layer = 0; layer < blocks.length; layer++) {
            int at = layer;
            forwardOf(at, () -> forward(at, blocks[at]));
        }
        forward(finalNorm);
        linear(head, finalNorm.y, logits);
        add(new CrossEntropy("loss", logits, losses, logits));

        weightGradient(head, finalNorm.y, logits);
        inputGradient(head, logits, false, dNorm);
        backward(finalNorm, false);
        for (int layer = blocks.length - 1; layer >= 0; layer--) {
            int at = layer;
            backwardOf(at, () -> backward(at, blocks[at]));
        }
        add(new EmbeddingGradient(
                "transformer.wte",
                dx,
                embeddingDropout(),
                model.tied(),
                gradient(Names.GPT2_TOKENS),
                Optional.of(gradient(Names.GPT2_POSITIONS))));
        return finish(losses);
    }

    private void forward(int layer, Block b) {
        String h = Names.gpt2Block(layer);
        forward(b.norm1);
        linear(conv(h + "attn.c_attn"), b.norm1.y, b.qkv);
        add(b.attention);
        linear(conv(h + "attn.c_proj"), b.attention.out(), branch);
        residual(h + "attn.residual", b.norm1.x, branch, attentionDropout(layer), b.middle);
        forward(b.norm2);
        linear(conv(h + "mlp.c_fc"), b.norm2.y, b.inner);
        add(new Gelu(h + "mlp.act", b.inner, b.active));
        linear(conv(h + "mlp.c_proj"), b.active, branch);
        residual(h + "mlp.residual", b.middle, branch, mlpDropout(layer), b.out);
    }

    private void backward(int layer, Block b) {
        String h = Names.gpt2Block(layer);
        Tensor dMlp = branchGradient(h + "mlp.residual", dx, mlpDropout(layer), dBranch);
        weightGradient(conv(h + "mlp.c_proj"), b.active, dMlp);
        inputGradient(conv(h + "mlp.c_proj"), dMlp, false, dInner);
        add(new GeluGradient(h + "mlp.act", b.inner, dInner, dInner));
        weightGradient(conv(h + "mlp.c_fc"), b.norm2.y, dInner);
        inputGradient(conv(h + "mlp.c_fc"), dInner, false, dNorm);
        backward(b.norm2, true);

        Tensor dAttn = branchGradient(h + "attn.residual", dx, attentionDropout(layer), dBranch);
        weightGradient(conv(h + "attn.c_proj"), b.attention.out(), dAttn);
        inputGradient(conv(h + "attn.c_proj"), dAttn, false, dAttention);
        add(new AttentionGradient(
                h + "attn",
                b.attention,
                dAttention,
                new HeadsView(dQkv, 0),
                new HeadsView(dQkv, width),
                new HeadsView(dQkv, 2 * width)));
        weightGradient(conv(h + "attn.c_attn"), b.norm1.y, dQkv);
        inputGradient(conv(h + "attn.c_attn"), dQkv, false, dNorm);
        backward(b.norm1, true);
    }

    private void forward(Norm norm) {
        add(new LayerNorm(
                norm.name,
                norm.x,
                parameter(norm.name + ".weight"),
                parameter(norm.name + ".bias"),
                normEps(),
                norm.y,
                norm.mean,
                norm.rstd));
    }

    /** dNorm is the gradient of the norm's output; the residual gradient is already in dx when {@code addTo}. */
    private void backward(Norm norm, boolean addTo) {
        add(new LayerNormGradient(
                norm.name,
                dNorm,
                norm.x,
                parameter(norm.name + ".weight"),
                norm.mean,
                norm.rstd,
                addTo,
                dx,
                gradient(norm.name + ".weight"),
                gradient(norm.name + ".bias")));
    }

    private static Layer conv(String name) {
        return new Layer(name, WeightLayout.IN_OUT, true);
    }
}
