package org.bitwitness.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.StateBounds;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;

/** Our side of {@link CpuGroup}: operators at the sizes that {@code benchmarks/pytorch/kernels.py} knows by name. */
final class KernelCases {
    /** Kind, dash, sizes: what both sides are asked for. */
    static final List<String> NAMES = List.of(
            "gemm-512-512-512",
            "gemm-1024-1024-1024",
            "gemm-2048-2048-2048",
            "gemm-1024-8192-256",
            "gemm-2048-768-768",
            "attention-8-256-64",
            "adamw-4194304",
            "crossentropy-1024-8192",
            "layernorm-2048-768",
            "rmsnorm-2048-768",
            "gelu-1048576",
            "exp-1048576");

    private static final int SEED = 1;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Backend backend;

    KernelCases(Backend backend) {
        this.backend = backend;
    }

    record Case(String name, Runnable once) {}

    /** The case of that name; its tensors are made now. */
    Case make(String name) {
        String[] words = name.split("-", -1);
        int[] size = Arrays.stream(words, 1, words.length)
                .mapToInt(Integer::parseInt)
                .toArray();
        return switch (words[0]) {
            case "gemm" -> gemm(name, size[0], size[1], size[2]);
            case "attention" -> attention(name, size[0], size[1], size[2]);
            case "adamw" -> adamW(name, size[0]);
            case "crossentropy" -> crossEntropy(name, size[0], size[1]);
            case "layernorm" -> layerNorm(name, size[0], size[1]);
            case "rmsnorm" -> rmsNorm(name, size[0], size[1]);
            case "gelu" -> gelu(name, size[0]);
            case "exp" -> exp(name, size[0]);
            default -> throw new IllegalArgumentException("no case " + name + "; there are " + NAMES);
        };
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

    /** [m, k] times [k, n]. */
    private Case gemm(String name, int m, int n, int k) {
        Tensor x = tensor("x", m, k);
        Tensor weight = tensor("weight", k, n);
        Linear op = new Linear("gemm", x, weight, Optional.empty(), WeightLayout.IN_OUT, tensor("y", m, n));
        return new Case(name, () -> backend.linear(op));
    }

    private Case exp(String name, int n) {
        Tensor x = vector("x", n);
        Tensor y = vector("y", n);
        return new Case(name, () -> backend.apply(ScalarFunction.EXP, x, y));
    }

    /** Forward and backward. */
    private Case gelu(String name, int n) {
        Tensor x = vector("x", n);
        Gelu forward = new Gelu("gelu", x, vector("y", n));
        GeluGradient backward = new GeluGradient("dgelu", x, vector("dy", n), vector("dx", n));
        return new Case(name, () -> {
            backend.gelu(forward);
            backend.geluGradient(backward);
        });
    }

    private Case adamW(String name, int n) {
        Tensor v = Tensor.of("v", Shape.of(n), new float[n]);
        List<AdamWSlot> slots = List.of(new AdamWSlot(vector("w", n), vector("m", n), v, vector("g", n), true));
        AdamWConstants constants = new AdamWConstants(0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 1e-3f, 1f, 0.9999f, 1f);
        // As in a run: the norm is known from clipping, the state's magnitudes from the update before.
        double norm = Math.sqrt(
                backend.sumOfSquares(slots.stream().map(AdamWSlot::gradient).toList()));
        StateBounds bounds = new StateBounds();
        return new Case(name, () -> backend.adamW(slots, constants, 2 * norm, bounds));
    }

    /** Forward and backward. */
    private Case layerNorm(String name, int rows, int width) {
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
        return new Case(name, () -> {
            backend.layerNorm(forward);
            backend.layerNormGradient(backward);
        });
    }

    /** Forward and backward. */
    private Case rmsNorm(String name, int rows, int width) {
        Tensor x = tensor("x", rows, width);
        Tensor gain = vector("gain", width);
        Tensor rstd = vector("rstd", rows);
        RmsNorm forward = new RmsNorm("rms", x, gain, 1e-5f, tensor("y", rows, width), rstd);
        RmsNormGradient backward = new RmsNormGradient(
                "drms",
                tensor("dy", rows, width),
                x,
                gain,
                rstd,
                false,
                tensor("dx", rows, width),
                vector("dGain", width));
        return new Case(name, () -> {
            backend.rmsNorm(forward);
            backend.rmsNormGradient(backward);
        });
    }

    private OperatorContext context(int sequences, int length, int vocab) {
        int[] ids = new int[sequences * length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = random.nextInt(vocab);
        }
        return new OperatorContext(new MicroBatch(sequences, length, ids, ids), 1, 1, 0, 0, 1f / ids.length);
    }

    private Case crossEntropy(String name, int rows, int vocab) {
        OperatorContext context = context(1, rows, vocab);
        CrossEntropy op = new CrossEntropy(
                "loss", tensor("logits", rows, vocab), vector("losses", rows), tensor("dLogits", rows, vocab));
        return new Case(name, () -> backend.crossEntropy(op, context));
    }

    /** Forward and backward, one sequence, no dropout. */
    private Case attention(String name, int heads, int length, int dim) {
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
        return new Case(name, () -> {
            backend.attention(forward, context);
            backend.attentionGradient(backward, context);
        });
    }
}
