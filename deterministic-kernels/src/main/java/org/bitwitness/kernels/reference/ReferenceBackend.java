package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
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

/** Hands every operator to the file that computes it. Always one thread: it is read more often than it is waited for. */
public final class ReferenceBackend implements Backend {
    @Override
    public BackendId id() {
        return BackendId.REFERENCE;
    }

    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void allocate(Tensor tensor) {
        tensor.attachHost(new float[tensor.size()]);
    }

    @Override
    public void bind(Tensor tensor, float[] host) {
        tensor.attachHost(host);
    }

    @Override
    public float[] fetch(Tensor tensor) {
        return tensor.data();
    }

    @Override
    public void embedding(Embedding op, OperatorContext context) {
        op.requireBatch(context.batch());
        EmbeddingKernel.forward(op, context);
    }

    @Override
    public void embeddingGradient(EmbeddingGradient op, OperatorContext context) {
        op.requireBatch(context.batch());
        EmbeddingKernel.backward(op, context);
    }

    @Override
    public void linear(Linear op) {
        LinearKernel.forward(op);
    }

    @Override
    public void linearInputGradient(LinearInputGradient op) {
        LinearKernel.inputGradient(op);
    }

    @Override
    public void linearWeightGradient(LinearWeightGradient op) {
        LinearKernel.weightGradient(op);
    }

    @Override
    public void layerNorm(LayerNorm op) {
        LayerNormKernel.forward(op);
    }

    @Override
    public void layerNormGradient(LayerNormGradient op) {
        LayerNormKernel.backward(op);
    }

    @Override
    public void rmsNorm(RmsNorm op) {
        RmsNormKernel.forward(op);
    }

    @Override
    public void rmsNormGradient(RmsNormGradient op) {
        RmsNormKernel.backward(op);
    }

    @Override
    public void rope(Rope op) {
        RopeKernel.rotate(op);
    }

    @Override
    public void attention(Attention op, OperatorContext context) {
        op.requireBatch(context.batch());
        AttentionKernel.forward(op, context);
    }

    @Override
    public void attentionGradient(AttentionGradient op, OperatorContext context) {
        op.forward().requireBatch(context.batch());
        AttentionKernel.backward(op, context);
    }

    @Override
    public void gelu(Gelu op) {
        ActivationKernel.gelu(op);
    }

    @Override
    public void geluGradient(GeluGradient op) {
        ActivationKernel.geluGradient(op);
    }

    @Override
    public void swiGlu(SwiGlu op) {
        ActivationKernel.swiGlu(op);
    }

    @Override
    public void swiGluGradient(SwiGluGradient op) {
        ActivationKernel.swiGluGradient(op);
    }

    @Override
    public void dropoutAdd(DropoutAdd op, OperatorContext context) {
        DropoutKernel.add(op, context);
    }

    @Override
    public void dropoutGradient(DropoutGradient op, OperatorContext context) {
        DropoutKernel.gradient(op, context);
    }

    @Override
    public void crossEntropy(CrossEntropy op, OperatorContext context) {
        op.requireBatch(context.batch());
        CrossEntropyKernel.run(op, context);
    }

    @Override
    public void apply(ScalarFunction function, Tensor x, Tensor y) {
        for (int i = 0; i < x.size(); i++) {
            y.data()[i] = Functions.apply(function, x.data()[i]);
        }
    }

    @Override
    public void add(List<Tensor> sum, List<Tensor> addend) {
        for (int t = 0; t < sum.size(); t++) {
            float[] into = sum.get(t).data();
            for (int i = 0; i < into.length; i++) {
                into[i] = into[i] + addend.get(t).data()[i];
            }
        }
    }

    @Override
    public void scale(List<Tensor> tensors, float factor) {
        for (Tensor tensor : tensors) {
            for (int i = 0; i < tensor.size(); i++) {
                tensor.data()[i] = tensor.data()[i] * factor;
            }
        }
    }

    @Override
    public int[] combineExact(List<Tensor> byWorker, Tensor out) {
        return ExactCombining.combine(byWorker, out);
    }

    @Override
    public void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        RobustKernel.trimmedMean(byWorker, trim, out);
    }

    @Override
    public double squaredDistance(List<Tensor> a, List<Tensor> b) {
        return RobustKernel.squaredDistance(a, b);
    }

    @Override
    public void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        RobustKernel.weightedSum(terms, weights, out);
    }

    @Override
    public void roundToBf16(List<Tensor> tensors) {
        Bf16Kernel.round(tensors);
    }

    @Override
    public double sumOfSquares(List<Tensor> tensors) {
        return GlobalSums.sumOfSquares(tensors);
    }

    @Override
    public double sum(Tensor losses, double start) {
        return GlobalSums.sum(losses, start);
    }

    @Override
    public boolean allFinite(List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            for (float value : tensor.data()) {
                if (!Float.isFinite(value)) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public boolean adamW(List<AdamWSlot> slots, AdamWConstants constants) {
        return AdamWKernel.update(slots, constants);
    }

    @Override
    public boolean sgd(List<SgdSlot> slots, SgdConstants constants) {
        return SgdKernel.update(slots, constants);
    }

    @Override
    public void fillInitial(Tensor out, long seed, int tensorIndex, float std) {
        InitialWeightsKernel.fill(out, seed, tensorIndex, std);
    }

    @Override
    public void close() {
        // Arrays belong to the garbage collector.
    }
}
