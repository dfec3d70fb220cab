package org.bitwitness.cli.bench;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;

/** Our side of {@link KernelsGroup}: operators at the sizes that {@code benchmarks/pytorch/kernels.py} knows by name. */
final class KernelCases {
    private static final int SEED = 1;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Backend backend;

    KernelCases(Backend backend) {
        this.backend = backend;
    }

    /** @param name the word the peer takes: kind, dash, sizes */
    record Case(String name, Runnable once) {}

    List<Case> all() {
        return List.of(
                gemm(512),
                gemm(1024),
                gemm(2048),
                exp(1 << 20),
                adamW(1 << 22),
                layerNorm(2048, 768),
                crossEntropy(1024, 8192),
                attention(8, 256, 64));
    }

    private Tensor tensor(String name, int rows, int columns) {
        float[] data = new float[rows * columns];
        for (int i = 0; i < data.length; i++) {
            data[i] = (float) random.nextGaussian();
        }
        return Tensor.of(name, Shape.of(rows, columns), data);
    }

    private Tensor vector(String name, int elements) {
        return Tensor.of(name, Shape.of(elements), tensor(name, 1, elements).data());
    }

    private Case gemm(int n) {
        Tensor x = tensor("x", n, n);
        Tensor weight = tensor("weight", n, n);
        Linear op = new Linear("gemm", x, weight, Optional.empty(), WeightLayout.IN_OUT, tensor("y", n, n));
        return new Case("gemm-" + n, () -> backend.linear(op));
    }

    private Case exp(int n) {
        Tensor x = vector("x", n);
        Tensor y = vector("y", n);
        return new Case("exp-" + n, () -> backend.apply(ScalarFunction.EXP, x, y));
    }

    private Case adamW(int n) {
        Tensor v = Tensor.of("v", Shape.of(n), new float[n]);
        List<AdamWSlot> slots = List.of(new AdamWSlot(vector("w", n), vector("m", n), v, vector("g", n), true));
        AdamWConstants constants = new AdamWConstants(0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 1e-3f, 1f, 0.9999f, 1f);
        return new Case("adamw-" + n, () -> backend.adamW(slots, constants));
    }

    /** Forward and backward. */
    private Case layerNorm(int rows, int width) {
        Tensor x = tensor("x", rows, width);
        Tensor gain = vector("gain", width);
        Tensor mean = vector("mean", rows);
        Tensor rstd = vector("rstd", rows);
        LayerNorm forward =
                new LayerNorm("ln", x, gain, vector("bias", width), 1e-5f, tensor("y", rows, width), mean, rstd);
        LayerNormGradient backward = new LayerNormGradient(
                "dln",
                tensor("dy", rows, width),
                x,
                gain,
                mean,
                rstd,
                false,
                tensor("dx", rows, width),
                vector("dGain", width),
                vector("dBias", width));
        return new Case("layernorm-%d-%d".formatted(rows, width), () -> {
            backend.layerNorm(forward);
            backend.layerNormGradient(backward);
        });
    }

    private OperatorContext context(int sequences, int length, int vocab) {
        int[] ids = new int[sequences * length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = random.nextInt(vocab);
        }
        return new OperatorContext(new MicroBatch(sequences, length, ids, ids), 1, 1, 0, 0, 1f / ids.length);
    }

    private Case crossEntropy(int rows, int vocab) {
        OperatorContext context = context(1, rows, vocab);
        CrossEntropy op = new CrossEntropy(
                "loss", tensor("logits", rows, vocab), vector("losses", rows), tensor("dLogits", rows, vocab));
        return new Case("crossentropy-%d-%d".formatted(rows, vocab), () -> backend.crossEntropy(op, context));
    }

    /** Forward and backward, one sequence, no dropout. */
    private Case attention(int heads, int length, int dim) {
        AttentionShape shape = new AttentionShape(1, length, heads, heads, dim);
        int width = heads * dim;
        OperatorContext context = context(1, length, 2);
        Attention forward = new Attention(
                "attention",
                shape,
                new HeadsView(tensor("q", length, width), 0),
                new HeadsView(tensor("k", length, width), 0),
                new HeadsView(tensor("v", length, width), 0),
                (float) (1.0 / Math.sqrt(dim)),
                DropoutSite.none(1),
                tensor("out", length, width),
                vector("rowMax", shape.rows()),
                vector("rowSum", shape.rows()));
        AttentionGradient backward = new AttentionGradient(
                "dAttention",
                forward,
                tensor("dOut", length, width),
                new HeadsView(tensor("dq", length, width), 0),
                new HeadsView(tensor("dk", length, width), 0),
                new HeadsView(tensor("dv", length, width), 0));
        return new Case("attention-%d-%d-%d".formatted(heads, length, dim), () -> {
            backend.attention(forward, context);
            backend.attentionGradient(backward, context);
        });
    }
}
