package org.bitwitness.kernels.program;

import java.util.Optional;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;

/**
 * LLaMA: x = drop(embed[id]); per block x = x + drop(o·attn(rope(q), rope(k), v)) with q, k, v from RMSNorm x, then
 * x = x + drop(down·SwiGLU(gate, up)); final RMSNorm; logits by an untied head (or the embedding). No biases. The dropout
 * numbers are GPT-2's; with rates of 0, as usual for this family, no dropout operator exists.
 */
final class LlamaProgram extends ProgramBuilder {
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
    private final Tensor dq;
    private final Tensor dk;
    private final Tensor dv;
    private final Tensor dActive;
    private final Tensor dGate;
    private final Tensor dUp;

    /** An RMSNorm with its input and what its backward needs. */
    private record Norm(String name, Tensor x, Tensor y, Tensor rstd) {}

    /** Tensors of one block that the backward reads; q and k are rotated in place. */
    private record Block(
            Norm norm1,
            Attention attention,
            Tensor middle,
            Norm norm2,
            Tensor gate,
            Tensor up,
            Tensor active,
            Tensor out) {}

    LlamaProgram(ModelTensors tensors, BatchShape batch) {
        super(tensors, batch);
        this.width = model.width();
        this.branch = rows("branch", width);
        this.blocks = new Block[model.layers()];
        Tensor x = rows("x", width);
        for (int layer = 0; layer < blocks.length; layer++) {
            blocks[layer] = block(layer, x);
            x = blocks[layer].out;
        }
        this.finalNorm = norm("final", Names.LLAMA_FINAL_NORM, x);
        this.logits = rows("logits", model.vocab());
        this.losses = perToken("losses");
        String matrix = model.tied() ? Names.LLAMA_TOKENS : Names.HEAD;
        this.head = linearLayer(matrix.substring(0, matrix.length() - ".weight".length()));
        this.dx = rows("d.x", width);
        this.dNorm = rows("d.norm", width);
        this.dBranch = rows("d.branch", width);
        this.dAttention = rows("d.attention", model.queryWidth());
        this.dq = rows("d.q", model.queryWidth());
        this.dk = rows("d.k", model.kvWidth());
        this.dv = rows("d.v", model.kvWidth());
        // When it is written, the block's active is needed no more.
        this.dActive = cheapRows(ACTIVE, "d.active", model.feedForward());
        this.dGate = rows("d.gate", model.feedForward());
        this.dUp = rows("d.up", model.feedForward());
    }

    private Block block(int layer, Tensor x) {
        String h = Names.llamaBlock(layer);
        Norm norm1 = norm("norm1", h + "input_layernorm", x);
        Attention attn = new Attention(
                h + "self_attn",
                attention,
                new HeadsView(rows(h + "self_attn.q", model.queryWidth()), 0),
                new HeadsView(rows(h + "self_attn.k", model.kvWidth()), 0),
                new HeadsView(rows(h + "self_attn.v", model.kvWidth()), 0),
                attentionScale(),
                probabilityDropout(layer),
                rows(h + "self_attn.out", model.queryWidth()),
                perScoreRow(h + "self_attn.max"),
                perScoreRow(h + "self_attn.sum"));
        Tensor middle = rows(h + "middle", width);
        Norm norm2 = norm("norm2", h + "post_attention_layernorm", middle);
        Tensor gate = rows(h + "mlp.gate", model.feedForward());
        Tensor up = rows(h + "mlp.up", model.feedForward());
        Tensor active = cheapRows(ACTIVE, h + "mlp.active", model.feedForward());
        return new Block(norm1, attn, middle, norm2, gate, up, active, rows(h + "out", width));
    }

    private Norm norm(String role, String name, Tensor x) {
        return new Norm(name, x, cheapRows(role, name + ".y", width), perToken(name + ".rstd"));
    }

    StepProgram build() {
        Tensor x = blocks[0].norm1.x;
        add(new Embedding(
                "model.embed_tokens", parameter(Names.LLAMA_TOKENS), Optional.empty(), embeddingDropout(), x));
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
                "model.embed_tokens",
                dx,
                embeddingDropout(),
                model.tied(),
                gradient(Names.LLAMA_TOKENS),
                Optional.empty()));
        return finish(losses);
    }

    private void forward(int layer, Block b) {
        String h = Names.llamaBlock(layer);
        Attention attn = b.attention;
        forward(b.norm1);
        linear(linearLayer(h + "self_attn.q_proj"), b.norm1.y, attn.q().tensor());
        linear(linearLayer(h + "self_attn.k_proj"), b.norm1.y, attn.k().tensor());
        linear(linearLayer(h + "self_attn.v_proj"), b.norm1.y, attn.v().tensor());
        rotate(h + "self_attn.q_rope", attn.q().tensor(), false);
        rotate(h + "self_attn.k_rope", attn.k().tensor(), false);
        add(attn);
        linear(linearLayer(h + "self_attn.o_proj"), attn.out(), branch);
        residual(h + "self_attn.residual", b.norm1.x, branch, attentionDropout(layer), b.middle);
        forward(b.norm2);
        linear(linearLayer(h + "mlp.gate_proj"), b.norm2.y, b.gate);
        linear(linearLayer(h + "mlp.up_proj"), b.norm2.y, b.up);
        add(new SwiGlu(h + "mlp.act", b.gate, b.up, b.active));
        linear(linearLayer(h + "mlp.down_proj"), b.active, branch);
        residual(h + "mlp.residual", b.middle, branch, mlpDropout(layer), b.out);
    }

    private void backward(int layer, Block b) {
        String h = Names.llamaBlock(layer);
        Tensor dMlp = branchGradient(h + "mlp.residual", dx, mlpDropout(layer), dBranch);
        weightGradient(linearLayer(h + "mlp.down_proj"), b.active, dMlp);
        inputGradient(linearLayer(h + "mlp.down_proj"), dMlp, false, dActive);
        add(new SwiGluGradient(h + "mlp.act", b.gate, b.up, dActive, dGate, dUp));
        weightGradient(linearLayer(h + "mlp.gate_proj"), b.norm2.y, dGate);
        weightGradient(linearLayer(h + "mlp.up_proj"), b.norm2.y, dUp);
        inputGradient(linearLayer(h + "mlp.gate_proj"), dGate, false, dNorm);
        inputGradient(linearLayer(h + "mlp.up_proj"), dUp, true, dNorm);
        backward(b.norm2, true);

        Tensor dAttn = branchGradient(h + "self_attn.residual", dx, attentionDropout(layer), dBranch);
        weightGradient(linearLayer(h + "self_attn.o_proj"), b.attention.out(), dAttn);
        inputGradient(linearLayer(h + "self_attn.o_proj"), dAttn, false, dAttention);
        add(new AttentionGradient(
                h + "self_attn",
                b.attention,
                dAttention,
                new HeadsView(dq, 0),
                new HeadsView(dk, 0),
                new HeadsView(dv, 0)));
        rotate(h + "self_attn.q_rope", dq, true);
        rotate(h + "self_attn.k_rope", dk, true);
        weightGradient(linearLayer(h + "self_attn.q_proj"), b.norm1.y, dq);
        weightGradient(linearLayer(h + "self_attn.k_proj"), b.norm1.y, dk);
        weightGradient(linearLayer(h + "self_attn.v_proj"), b.norm1.y, dv);
        inputGradient(linearLayer(h + "self_attn.q_proj"), dq, false, dNorm);
        inputGradient(linearLayer(h + "self_attn.k_proj"), dk, true, dNorm);
        inputGradient(linearLayer(h + "self_attn.v_proj"), dv, true, dNorm);
        backward(b.norm1, true);
    }

    private void rotate(String name, Tensor x, boolean inverse) {
        ModelTensors.Rotation table = tensors.rotation();
        add(new Rope(name, attention, table.cos(), table.sin(), inverse, x));
    }

    private void forward(Norm norm) {
        add(new RmsNorm(norm.name, norm.x, parameter(norm.name + ".weight"), normEps(), norm.y, norm.rstd));
    }

    private void backward(Norm norm, boolean addTo) {
        add(new RmsNormGradient(
                norm.name,
                dNorm,
                norm.x,
                parameter(norm.name + ".weight"),
                norm.rstd,
                addTo,
                dx,
                gradient(norm.name + ".weight")));
    }

    private static Layer linearLayer(String name) {
        return new Layer(name, WeightLayout.OUT_IN, false);
    }
}
