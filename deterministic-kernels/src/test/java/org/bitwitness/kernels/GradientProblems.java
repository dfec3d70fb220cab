package org.bitwitness.kernels;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.protocol.random.Philox4x32;
import org.bitwitness.protocol.tensor.Shape;

/** A gradient to check for every operator that has a backward, computed by one backend. */
final class GradientProblems {
    static final List<String> OPERATORS = List.of(
            "embedding",
            "linear",
            "layerNorm",
            "rmsNorm",
            "rope",
            "attention",
            "attentionWithDropout",
            "gelu",
            "swiGlu",
            "dropoutAdd",
            "crossEntropy");

    private static final float EPS = 1e-5f;

    private final SplittableRandom random;
    private final Backend backend;

    GradientProblems(long seed, Backend backend) {
        this.random = new SplittableRandom(seed);
        this.backend = backend;
    }

    GradientProblem of(String operator) {
        return switch (operator) {
            case "embedding" -> embedding();
            case "linear" -> linear();
            case "layerNorm" -> layerNorm();
            case "rmsNorm" -> rmsNorm();
            case "rope" -> rope();
            case "attention" -> attention(DropoutSite.none(1));
            case "attentionWithDropout" -> attention(DropoutRate.of(0.25).site(1));
            case "gelu" -> gelu();
            case "swiGlu" -> swiGlu();
            case "dropoutAdd" -> dropoutAdd();
            case "crossEntropy" -> crossEntropy();
            default -> throw new IllegalArgumentException(operator);
        };
    }

    private GradientProblem embedding() {
        int width = 5;
        MicroBatch batch = new MicroBatch(2, 4, new int[] {3, 1, 3, 0, 3, 2, 1, 3}, new int[8]);
        DropoutSite site = DropoutRate.of(0.25).site(0);
        OperatorContext context = context(batch);
        Tensor dOut = random("dOut", 8, width);
        Tensor dTokens = zero("tokens", 6, width);
        Tensor dPositions = zero("positions", 4, width);
        backend.embeddingGradient(
                new EmbeddingGradient("check", dOut, site, false, dTokens, Optional.of(dPositions)), context);
        double[] mask = mask(site, context, 8 * width);
        return new GradientProblem(
                "embedding",
                Map.of("width", width, "length", 4, "ids", batch.ids(), "mask", mask),
                inputs(random("tokens", 6, width), random("positions", 4, width)),
                in -> DoubleOperators.embedding(in.get(0), in.get(1), batch, width, mask),
                dOut.data(),
                Map.of("tokens", dTokens.data(), "positions", dPositions.data()));
    }

    private GradientProblem linear() {
        Tensor x = random("x", 7, 13);
        Tensor w = random("w", 13, 6);
        Tensor dy = random("dy", 7, 6);
        Tensor dx = zero("dx", 7, 13);
        Tensor dw = zero("dw", 13, 6);
        Tensor db = zero("db", 6);
        backend.linearInputGradient(new LinearInputGradient("check", dy, w, WeightLayout.IN_OUT, false, dx));
        backend.linearWeightGradient(
                new LinearWeightGradient("check", x, dy, WeightLayout.IN_OUT, dw, Optional.of(db)));
        return new GradientProblem(
                "linear",
                Map.of("inputs", 13),
                inputs(x, w, random("b", 6)),
                in -> DoubleOperators.linear(in.get(0), in.get(1), in.get(2), 13),
                dy.data(),
                Map.of("x", dx.data(), "w", dw.data(), "b", db.data()));
    }

    private GradientProblem layerNorm() {
        Tensor x = random("x", 5, 11);
        Tensor gain = random("gain", 11);
        Tensor bias = random("bias", 11);
        Tensor mean = zero("mean", 5);
        Tensor rstd = zero("rstd", 5);
        backend.layerNorm(new LayerNorm("check", x, gain, bias, EPS, zero("y", 5, 11), mean, rstd));
        Tensor dy = random("dy", 5, 11);
        Tensor dx = zero("dx", 5, 11);
        Tensor dGain = zero("dGain", 11);
        Tensor dBias = zero("dBias", 11);
        backend.layerNormGradient(new LayerNormGradient("check", dy, x, gain, mean, rstd, false, dx, dGain, dBias));
        return new GradientProblem(
                "layerNorm",
                Map.of("eps", (double) EPS),
                inputs(x, gain, bias),
                in -> DoubleOperators.layerNorm(in.get(0), in.get(1), in.get(2), EPS),
                dy.data(),
                Map.of("x", dx.data(), "gain", dGain.data(), "bias", dBias.data()));
    }

    private GradientProblem rmsNorm() {
        Tensor x = random("x", 5, 11);
        Tensor gain = random("gain", 11);
        Tensor rstd = zero("rstd", 5);
        backend.rmsNorm(new RmsNorm("check", x, gain, EPS, zero("y", 5, 11), rstd));
        Tensor dy = random("dy", 5, 11);
        Tensor dx = zero("dx", 5, 11);
        Tensor dGain = zero("dGain", 11);
        backend.rmsNormGradient(new RmsNormGradient("check", dy, x, gain, rstd, false, dx, dGain));
        return new GradientProblem(
                "rmsNorm",
                Map.of("eps", (double) EPS),
                inputs(x, gain),
                in -> DoubleOperators.rmsNorm(in.get(0), in.get(1), EPS),
                dy.data(),
                Map.of("x", dx.data(), "gain", dGain.data()));
    }

    private GradientProblem rope() {
        int half = 3;
        int length = 4;
        double[] angles = new double[length * half];
        Tensor cos = zero("cos", length, half);
        Tensor sin = zero("sin", length, half);
        for (int i = 0; i < angles.length; i++) {
            int position = i / half;
            angles[i] = position * Math.pow(10, -(i % half));
            cos.data()[i] = (float) StrictMath.cos(angles[i]);
            sin.data()[i] = (float) StrictMath.sin(angles[i]);
        }
        Tensor dy = random("dy", 8, 12);
        Tensor dx = Tensor.of("dx", dy.shape(), dy.data().clone());
        backend.rope(new Rope("check", new AttentionShape(2, length, 2, 1, 2 * half), cos, sin, true, dx));
        return new GradientProblem(
                "rope",
                Map.of("heads", 2, "half", half, "length", length, "angles", angles),
                inputs(random("x", 8, 12)),
                in -> DoubleOperators.rope(in.get(0), 2, half, length, angles),
                dy.data(),
                Map.of("x", dx.data()));
    }

    private GradientProblem attention(DropoutSite site) {
        AttentionShape shape = new AttentionShape(2, 5, 4, 2, 3);
        OperatorContext context = context(new MicroBatch(2, 5, new int[10], new int[10]));
        Tensor q = random("q", 10, 12);
        Tensor k = random("k", 10, 6);
        Tensor v = random("v", 10, 6);
        Attention forward = new Attention(
                "check",
                shape,
                new HeadsView(q, 0),
                new HeadsView(k, 0),
                new HeadsView(v, 0),
                (float) (1 / Math.sqrt(3)),
                site,
                zero("out", 10, 12),
                zero("max", 40),
                zero("sum", 40));
        backend.attention(forward, context);
        Tensor dOut = random("dOut", 10, 12);
        Tensor dq = zero("dq", 10, 12);
        Tensor dk = zero("dk", 10, 6);
        Tensor dv = zero("dv", 10, 6);
        backend.attentionGradient(
                new AttentionGradient(
                        "check", forward, dOut, new HeadsView(dq, 0), new HeadsView(dk, 0), new HeadsView(dv, 0)),
                context);
        DoubleOperators.Heads heads = new DoubleOperators.Heads(2, 5, 4, 2, 3);
        double[] mask = mask(site, context, 40 * 5);
        return new GradientProblem(
                "attention",
                Map.of("sequences", 2, "length", 5, "heads", 4, "kv_heads", 2, "dim", 3, "mask", mask),
                inputs(q, k, v),
                in -> DoubleOperators.attention(in.get(0), in.get(1), in.get(2), heads, mask),
                dOut.data(),
                Map.of("q", dq.data(), "k", dk.data(), "v", dv.data()));
    }

    private GradientProblem gelu() {
        Tensor x = random("x", 4, 17);
        Tensor dy = random("dy", 4, 17);
        Tensor dx = zero("dx", 4, 17);
        backend.geluGradient(new GeluGradient("check", x, dy, dx));
        return new GradientProblem(
                "gelu", Map.of(), inputs(x), in -> DoubleOperators.gelu(in.get(0)), dy.data(), Map.of("x", dx.data()));
    }

    private GradientProblem swiGlu() {
        Tensor gate = random("gate", 4, 17);
        Tensor up = random("up", 4, 17);
        Tensor dy = random("dy", 4, 17);
        Tensor dGate = zero("dGate", 4, 17);
        Tensor dUp = zero("dUp", 4, 17);
        backend.swiGluGradient(new SwiGluGradient("check", gate, up, dy, dGate, dUp));
        return new GradientProblem(
                "swiGlu",
                Map.of(),
                inputs(gate, up),
                in -> DoubleOperators.swiGlu(in.get(0), in.get(1)),
                dy.data(),
                Map.of("gate", dGate.data(), "up", dUp.data()));
    }

    private GradientProblem dropoutAdd() {
        DropoutSite site = DropoutRate.of(0.25).site(2);
        OperatorContext context = context(new MicroBatch(1, 4, new int[4], new int[4]));
        Tensor dy = random("dy", 4, 17);
        Tensor dx = zero("dx", 4, 17);
        backend.dropoutGradient(new DropoutGradient("check", dy, site, dx), context);
        double[] mask = mask(site, context, 4 * 17);
        return new GradientProblem(
                "dropoutAdd",
                Map.of("mask", mask),
                inputs(random("x", 4, 17), random("branch", 4, 17)),
                in -> DoubleOperators.add(in.get(0), in.get(1), mask),
                dy.data(),
                Map.of("x", dy.data(), "branch", dx.data()));
    }

    private GradientProblem crossEntropy() {
        int[] targets = {4, -1, 0, 8, 2};
        MicroBatch batch = new MicroBatch(1, 5, new int[5], targets);
        Tensor logits = random("logits", 5, 9);
        Tensor d = zero("dLogits", 5, 9);
        backend.crossEntropy(new CrossEntropy("check", logits, zero("losses", 5), d), context(batch));
        float[] ones = new float[5];
        Arrays.fill(ones, 1f);
        return new GradientProblem(
                "crossEntropy",
                Map.of("targets", targets, "factor", 1 / 8.0),
                inputs(logits),
                in -> DoubleOperators.crossEntropy(in.get(0), targets, 1 / 8.0),
                ones,
                Map.of("logits", d.data()));
    }

    private static OperatorContext context(MicroBatch batch) {
        return new OperatorContext(batch, 77, 3, 1, 2, 1f / 8);
    }

    /** 1/keep where the element stays, 0 where it is dropped: drawn here from Philox itself. */
    private static double[] mask(DropoutSite site, OperatorContext context, int elements) {
        double[] mask = new double[elements];
        int[] words = new int[4];
        for (int i = 0; i < elements; i++) {
            Philox4x32.block(
                    i >> 2,
                    (int) context.updateCount(),
                    context.philoxWorkerWord(),
                    site.operator(),
                    (int) context.dropoutSeed(),
                    (int) (context.dropoutSeed() >>> 32),
                    words);
            boolean keep = Integer.toUnsignedLong(words[i & 3]) < site.threshold();
            mask[i] = !site.active() ? 1 : keep ? site.scale() : 0;
        }
        return mask;
    }

    private static Map<String, float[]> inputs(Tensor... tensors) {
        Map<String, float[]> inputs = new LinkedHashMap<>();
        for (Tensor tensor : tensors) {
            inputs.put(tensor.name(), tensor.data());
        }
        return inputs;
    }

    private Tensor random(String name, long... extents) {
        Shape shape = Shape.of(extents);
        return Tensor.of(name, shape, Values.ORDINARY.array(random, (int) shape.elementCount()));
    }

    private static Tensor zero(String name, long... extents) {
        Shape shape = Shape.of(extents);
        return Tensor.of(name, shape, new float[(int) shape.elementCount()]);
    }
}
