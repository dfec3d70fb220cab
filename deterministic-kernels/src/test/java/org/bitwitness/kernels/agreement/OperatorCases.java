package org.bitwitness.kernels.agreement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;

/** Every operator of the backend interface, forward and backward. */
final class OperatorCases {
    private OperatorCases() {}

    static List<OperatorCase> all() {
        List<OperatorCase> cases = new ArrayList<>(List.of(
                new OperatorCase("linear", OperatorCases::linear),
                new OperatorCase("linearInputGradient", OperatorCases::linearInputGradient),
                new OperatorCase("linearWeightGradient", OperatorCases::linearWeightGradient),
                new OperatorCase("layerNorm", OperatorCases::layerNorm),
                new OperatorCase("layerNormGradient", OperatorCases::layerNormGradient),
                new OperatorCase("rmsNorm", OperatorCases::rmsNorm),
                new OperatorCase("rmsNormGradient", OperatorCases::rmsNormGradient),
                new OperatorCase("rope", OperatorCases::rope),
                new OperatorCase("attention", OperatorCases::attention),
                new OperatorCase("attentionGradient", OperatorCases::attentionGradient),
                new OperatorCase("gelu", OperatorCases::gelu),
                new OperatorCase("geluGradient", OperatorCases::geluGradient),
                new OperatorCase("swiGlu", OperatorCases::swiGlu),
                new OperatorCase("swiGluGradient", OperatorCases::swiGluGradient),
                new OperatorCase("dropoutAdd", OperatorCases::dropoutAdd),
                new OperatorCase("dropoutGradient", OperatorCases::dropoutGradient)));
        cases.addAll(List.of(
                new OperatorCase("embedding", OperatorCases::embedding),
                new OperatorCase("embeddingGradient", OperatorCases::embeddingGradient),
                new OperatorCase("crossEntropy", OperatorCases::crossEntropy),
                new OperatorCase("apply", OperatorCases::apply),
                new OperatorCase("add", OperatorCases::add),
                new OperatorCase("scale", OperatorCases::scale),
                new OperatorCase("combineExact", OperatorCases::combineExact),
                new OperatorCase("globalSums", OperatorCases::globalSums),
                new OperatorCase("adamW", OperatorCases::adamW),
                new OperatorCase("fillInitial", OperatorCases::fillInitial)));
        return List.copyOf(cases);
    }

    private static WeightLayout layout(Inputs in) {
        return in.coin() ? WeightLayout.IN_OUT : WeightLayout.OUT_IN;
    }

    private static Tensor weight(Inputs in, WeightLayout layout, int inputs, int outputs) {
        boolean inOut = layout == WeightLayout.IN_OUT;
        return in.matrix("weight", inOut ? inputs : outputs, inOut ? outputs : inputs);
    }

    private static List<Tensor> linear(Backend backend, Inputs in) {
        int rows = in.size();
        int inputs = in.longSize();
        int outputs = in.size();
        WeightLayout layout = layout(in);
        Tensor x = in.matrix("x", rows, inputs);
        Tensor weight = weight(in, layout, inputs, outputs);
        Optional<Tensor> bias = in.coin() ? Optional.of(in.vector("bias", outputs)) : Optional.empty();
        Tensor y = in.output("y", rows, outputs);
        backend.linear(new Linear("linear", x, weight, bias, layout, y));
        return List.of(y, x, weight);
    }

    private static List<Tensor> linearInputGradient(Backend backend, Inputs in) {
        int rows = in.size();
        int inputs = in.size();
        int outputs = in.longSize();
        WeightLayout layout = layout(in);
        Tensor dy = in.matrix("dy", rows, outputs);
        Tensor weight = weight(in, layout, inputs, outputs);
        boolean add = in.coin();
        Tensor dx = add ? in.matrix("dx", rows, inputs) : in.output("dx", rows, inputs);
        backend.linearInputGradient(new LinearInputGradient("dx", dy, weight, layout, add, dx));
        return List.of(dx, dy, weight);
    }

    private static List<Tensor> linearWeightGradient(Backend backend, Inputs in) {
        int rows = in.longSize();
        int inputs = in.size();
        int outputs = in.size();
        WeightLayout layout = layout(in);
        Tensor x = in.matrix("x", rows, inputs);
        Tensor dy = in.matrix("dy", rows, outputs);
        boolean inOut = layout == WeightLayout.IN_OUT;
        Tensor dWeight = in.output("dWeight", inOut ? inputs : outputs, inOut ? outputs : inputs);
        Tensor dBias = in.output("dBias", outputs);
        Optional<Tensor> bias = in.coin() ? Optional.of(dBias) : Optional.empty();
        backend.linearWeightGradient(new LinearWeightGradient("dw", x, dy, layout, dWeight, bias));
        return List.of(dWeight, dBias, x, dy);
    }

    private static List<Tensor> layerNorm(Backend backend, Inputs in) {
        int rows = in.size();
        int width = in.longSize();
        Tensor x = in.matrix("x", rows, width);
        Tensor gain = in.vector("gain", width);
        Tensor bias = in.vector("bias", width);
        Tensor y = in.output("y", rows, width);
        Tensor mean = in.output("mean", rows);
        Tensor rstd = in.output("rstd", rows);
        backend.layerNorm(new LayerNorm("ln", x, gain, bias, 1e-5f, y, mean, rstd));
        return List.of(y, mean, rstd, x);
    }

    private static List<Tensor> layerNormGradient(Backend backend, Inputs in) {
        int rows = in.longSize();
        int width = in.size();
        Tensor dy = in.matrix("dy", rows, width);
        Tensor x = in.matrix("x", rows, width);
        Tensor gain = in.vector("gain", width);
        Tensor mean = in.vector("mean", rows);
        Tensor rstd = in.vector("rstd", rows);
        boolean add = in.coin();
        Tensor dx = add ? in.matrix("dx", rows, width) : in.output("dx", rows, width);
        Tensor dGain = in.output("dGain", width);
        Tensor dBias = in.output("dBias", width);
        backend.layerNormGradient(new LayerNormGradient("dln", dy, x, gain, mean, rstd, add, dx, dGain, dBias));
        return List.of(dx, dGain, dBias, dy, x);
    }

    private static List<Tensor> rmsNorm(Backend backend, Inputs in) {
        int rows = in.size();
        int width = in.longSize();
        Tensor x = in.matrix("x", rows, width);
        Tensor gain = in.vector("gain", width);
        Tensor y = in.output("y", rows, width);
        Tensor rstd = in.output("rstd", rows);
        backend.rmsNorm(new RmsNorm("rms", x, gain, 1e-6f, y, rstd));
        return List.of(y, rstd, x);
    }

    private static List<Tensor> rmsNormGradient(Backend backend, Inputs in) {
        int rows = in.longSize();
        int width = in.size();
        Tensor dy = in.matrix("dy", rows, width);
        Tensor x = in.matrix("x", rows, width);
        Tensor gain = in.vector("gain", width);
        Tensor rstd = in.vector("rstd", rows);
        boolean add = in.coin();
        Tensor dx = add ? in.matrix("dx", rows, width) : in.output("dx", rows, width);
        Tensor dGain = in.output("dGain", width);
        backend.rmsNormGradient(new RmsNormGradient("drms", dy, x, gain, rstd, add, dx, dGain));
        return List.of(dx, dGain, dy, x);
    }

    private static List<Tensor> rope(Backend backend, Inputs in) {
        int dim = 2 * in.sizeUpTo(33);
        int heads = 1 + in.random().nextInt(3);
        AttentionShape shape = new AttentionShape(1 + in.random().nextInt(3), in.size(), heads, heads, dim);
        Tensor cos = in.matrix("cos", shape.length() + 2, dim / 2);
        Tensor sin = in.matrix("sin", shape.length() + 2, dim / 2);
        Tensor x = in.matrix("x", shape.tokens(), heads * dim);
        backend.rope(new Rope("rope", shape, cos, sin, in.coin(), x));
        return List.of(x, cos, sin);
    }

    private static AttentionShape attentionShape(Inputs in) {
        boolean large = in.random().nextInt(4) == 0;
        int kvHeads = large ? 1 : 1 + in.random().nextInt(2);
        int group = large ? 1 : 1 + in.random().nextInt(3);
        int length = large ? in.longSize() : in.sizeUpTo(150);
        int dim = large ? in.sizeUpTo(9) : in.sizeUpTo(70);
        return new AttentionShape(large ? 1 : 1 + in.random().nextInt(2), length, kvHeads * group, kvHeads, dim);
    }

    private static Attention attentionOf(Inputs in, AttentionShape shape, DropoutSite dropout) {
        int width = shape.heads() * shape.headDim();
        int kvWidth = shape.kvHeads() * shape.headDim();
        HeadsView q;
        HeadsView k;
        HeadsView v;
        if (in.coin()) {
            Tensor qkv = in.matrix("qkv", shape.tokens(), width + 2 * kvWidth);
            q = new HeadsView(qkv, 0);
            k = new HeadsView(qkv, width);
            v = new HeadsView(qkv, width + kvWidth);
        } else {
            q = new HeadsView(in.matrix("q", shape.tokens(), width), 0);
            k = new HeadsView(in.matrix("k", shape.tokens(), kvWidth), 0);
            v = new HeadsView(in.matrix("v", shape.tokens(), kvWidth), 0);
        }
        return new Attention(
                "attention",
                shape,
                q,
                k,
                v,
                (float) (1.0 / Math.sqrt(shape.headDim())),
                dropout,
                in.output("out", shape.tokens(), width),
                in.output("rowMax", shape.rows()),
                in.output("rowSum", shape.rows()));
    }

    private static List<Tensor> attention(Backend backend, Inputs in) {
        AttentionShape shape = attentionShape(in);
        Attention op = attentionOf(in, shape, in.dropout());
        backend.attention(op, in.context(shape.sequences(), shape.length(), 9));
        return List.of(op.out(), op.rowMax(), op.rowSum(), op.q().tensor());
    }

    private static List<Tensor> attentionGradient(Backend backend, Inputs in) {
        AttentionShape shape = attentionShape(in);
        Attention op = attentionOf(in, shape, in.dropout());
        OperatorContext context = in.context(shape.sequences(), shape.length(), 9);
        backend.attention(op, context);
        int width = shape.heads() * shape.headDim();
        int kvWidth = shape.kvHeads() * shape.headDim();
        Tensor dOut = in.matrix("dOut", shape.tokens(), width);
        Tensor dqkv = in.output("dqkv", shape.tokens(), width + 2 * kvWidth);
        backend.attentionGradient(
                new AttentionGradient(
                        "dAttention",
                        op,
                        dOut,
                        new HeadsView(dqkv, 0),
                        new HeadsView(dqkv, width),
                        new HeadsView(dqkv, width + kvWidth)),
                context);
        return List.of(dqkv, dOut, op.out());
    }

    private static List<Tensor> gelu(Backend backend, Inputs in) {
        Tensor x = in.matrix("x", in.size(), in.longSize());
        Tensor y = in.coin() ? x : in.output("y", x.rows(), x.columns());
        backend.gelu(new Gelu("gelu", x, y));
        return List.of(y, x);
    }

    private static List<Tensor> geluGradient(Backend backend, Inputs in) {
        Tensor x = in.matrix("x", in.size(), in.longSize());
        Tensor dy = in.matrix("dy", x.rows(), x.columns());
        Tensor dx = in.coin() ? dy : in.output("dx", x.rows(), x.columns());
        backend.geluGradient(new GeluGradient("dGelu", x, dy, dx));
        return List.of(dx, x, dy);
    }

    private static List<Tensor> swiGlu(Backend backend, Inputs in) {
        Tensor gate = in.matrix("gate", in.size(), in.longSize());
        Tensor up = in.matrix("up", gate.rows(), gate.columns());
        Tensor y = in.output("y", gate.rows(), gate.columns());
        backend.swiGlu(new SwiGlu("swiglu", gate, up, y));
        return List.of(y, gate, up);
    }

    private static List<Tensor> swiGluGradient(Backend backend, Inputs in) {
        Tensor gate = in.matrix("gate", in.size(), in.longSize());
        Tensor up = in.matrix("up", gate.rows(), gate.columns());
        Tensor dy = in.matrix("dy", gate.rows(), gate.columns());
        Tensor dGate = in.output("dGate", gate.rows(), gate.columns());
        Tensor dUp = in.output("dUp", gate.rows(), gate.columns());
        backend.swiGluGradient(new SwiGluGradient("dSwiglu", gate, up, dy, dGate, dUp));
        return List.of(dGate, dUp, gate, up, dy);
    }

    private static List<Tensor> dropoutAdd(Backend backend, Inputs in) {
        OperatorContext context = in.context(1, in.size(), 5);
        Tensor x = in.matrix("x", in.size(), in.longSize());
        Tensor branch = in.matrix("branch", x.rows(), x.columns());
        Tensor out = in.coin() ? branch : in.output("out", x.rows(), x.columns());
        backend.dropoutAdd(new DropoutAdd("residual", x, branch, in.dropout(), out), context);
        return List.of(out, x);
    }

    private static List<Tensor> dropoutGradient(Backend backend, Inputs in) {
        OperatorContext context = in.context(1, in.size(), 5);
        Tensor dy = in.matrix("dy", in.size(), in.longSize());
        Tensor dx = in.coin() ? dy : in.output("dx", dy.rows(), dy.columns());
        DropoutSite site = new DropoutSite(true, 7, in.coin() ? 0xe666_6666L : 1, 1.1111112f);
        backend.dropoutGradient(new DropoutGradient("dDrop", dy, site, dx), context);
        return List.of(dx, dy);
    }

    private static List<Tensor> embedding(Backend backend, Inputs in) {
        int width = in.size();
        int vocab = in.size();
        OperatorContext context = in.context(1 + in.random().nextInt(3), in.size(), vocab);
        int length = context.batch().length();
        Tensor tokens = in.matrix("tokens", vocab, width);
        Tensor positions = in.matrix("positions", length + in.random().nextInt(3), width);
        Tensor out = in.output("out", context.batch().tokens(), width);
        Optional<Tensor> used = in.coin() ? Optional.of(positions) : Optional.empty();
        backend.embedding(new Embedding("embedding", tokens, used, in.dropout(), out), context);
        return List.of(out, tokens, positions);
    }

    private static List<Tensor> embeddingGradient(Backend backend, Inputs in) {
        int width = in.size();
        int vocab = in.size();
        OperatorContext context = in.context(1 + in.random().nextInt(8), in.longSize(), vocab);
        int length = context.batch().length();
        Tensor dOut = in.matrix("dOut", context.batch().tokens(), width);
        boolean add = in.coin();
        Tensor dTokens = add ? in.matrix("dTokens", vocab, width) : in.output("dTokens", vocab, width);
        Tensor dPositions = in.output("dPositions", length + in.random().nextInt(3), width);
        Optional<Tensor> used = in.coin() ? Optional.of(dPositions) : Optional.empty();
        backend.embeddingGradient(new EmbeddingGradient("dEmbedding", dOut, in.dropout(), add, dTokens, used), context);
        return List.of(dTokens, dPositions, dOut);
    }

    private static List<Tensor> crossEntropy(Backend backend, Inputs in) {
        int vocab = in.longSize();
        OperatorContext context = in.context(1, in.size(), vocab);
        Tensor logits = in.matrix("logits", context.batch().tokens(), vocab);
        Tensor losses = in.output("losses", logits.rows());
        Tensor dLogits = in.coin() ? logits : in.output("dLogits", logits.rows(), vocab);
        backend.crossEntropy(new CrossEntropy("loss", logits, losses, dLogits), context);
        return List.of(losses, dLogits);
    }

    private static List<Tensor> apply(Backend backend, Inputs in) {
        List<Tensor> results = new ArrayList<>();
        float[] anyBits = new float[1000 + in.size()];
        for (int i = 0; i < anyBits.length; i++) {
            anyBits[i] = i % 3 == 0 ? Float.intBitsToFloat(in.random().nextInt()) : 8 * in.value();
        }
        for (ScalarFunction function : ScalarFunction.values()) {
            Tensor x = Tensor.of("x", Shape.of(anyBits.length), anyBits.clone());
            Tensor y = in.coin() ? x : in.output(function.text(), anyBits.length);
            backend.apply(function, x, y);
            results.add(y);
        }
        return results;
    }

    private static List<Tensor> add(Backend backend, Inputs in) {
        List<Tensor> sum = List.of(in.matrix("a", in.size(), in.size()), in.vector("b", in.longSize()));
        List<Tensor> addend = List.of(
                in.matrix("c", sum.get(0).rows(), sum.get(0).columns()),
                in.vector("d", sum.get(1).size()));
        backend.add(sum, addend);
        return List.of(sum.get(0), sum.get(1), addend.get(0));
    }

    private static List<Tensor> scale(Backend backend, Inputs in) {
        List<Tensor> tensors = List.of(in.matrix("a", in.size(), in.size()), in.vector("b", in.longSize()));
        backend.scale(tensors, in.value());
        return tensors;
    }

    private static List<Tensor> combineExact(Backend backend, Inputs in) {
        int size = in.random().nextInt(4) == 0 ? 65_536 + in.size() : in.longSize();
        int exponent = in.random().nextInt(200) - 140;
        List<Tensor> workers = new ArrayList<>();
        for (int w = 0; w <= in.random().nextInt(5); w++) {
            Tensor worker = in.vector("worker", size);
            for (int i = 0; i < size; i++) {
                worker.data()[i] = Math.scalb(worker.data()[i], exponent);
            }
            workers.add(worker);
        }
        Tensor out = in.coin() ? workers.getFirst() : in.output("out", size);
        int[] exponents = backend.combineExact(workers, out);
        return List.of(
                out,
                numbers("exponents", Arrays.stream(exponents).asDoubleStream().toArray()));
    }

    /** Binary64 numbers as pairs of binary32 words, never NaN by accident: halves of 16 bits. */
    private static Tensor numbers(String name, double... values) {
        float[] halves = new float[4 * values.length];
        for (int i = 0; i < values.length; i++) {
            for (int part = 0; part < 4; part++) {
                halves[4 * i + part] = (Double.doubleToLongBits(values[i]) >>> (16 * part)) & 0xffff;
            }
        }
        return Tensor.of(name, Shape.of(halves.length), halves);
    }

    private static List<Tensor> globalSums(Backend backend, Inputs in) {
        List<Tensor> tensors = List.of(
                in.vector("a", in.longSize()),
                in.vector("b", in.random().nextInt(3) == 0 ? 65_536 * 2 + in.size() : in.size()),
                in.vector("c", 1));
        return List.of(numbers(
                "sums",
                backend.sumOfSquares(tensors),
                backend.sum(tensors.get(1), in.coin() ? 0.0 : 1.25),
                backend.allFinite(tensors) ? 1 : 0));
    }

    private static List<Tensor> adamW(Backend backend, Inputs in) {
        List<AdamWSlot> slots = new ArrayList<>();
        List<Tensor> results = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int size = in.longSize();
            Tensor v = in.vector("v", size);
            for (int j = 0; j < size; j++) {
                v.data()[j] = Math.abs(v.data()[j]);
            }
            AdamWSlot slot =
                    new AdamWSlot(in.vector("w", size), in.vector("m", size), v, in.vector("g", size), in.coin());
            slots.add(slot);
            results.addAll(List.of(slot.parameter(), slot.m(), slot.v(), slot.gradient()));
        }
        boolean updated =
                backend.adamW(slots, new AdamWConstants(0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 1e-3f, 1.7f, 0.9999f, 0.7f));
        results.add(numbers("updated", updated ? 1 : 0));
        return results;
    }

    private static List<Tensor> fillInitial(Backend backend, Inputs in) {
        Tensor out = in.output("out", in.size(), in.longSize());
        backend.fillInitial(out, in.random().nextLong(), in.random().nextInt(200), 0.02f);
        return List.of(out);
    }
}
