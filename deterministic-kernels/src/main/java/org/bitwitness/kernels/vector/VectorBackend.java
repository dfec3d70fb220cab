package org.bitwitness.kernels.vector;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;
import org.bitwitness.kernels.StateBounds;
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

/**
 * The fast CPU backend: splits each operator's outputs over a fixed team of threads and computes them with the Vector API
 * at the width of this machine. Neither changes a bit. Scratch memory grows to the largest operator and is reused.
 */
final class VectorBackend implements Backend {
    private final Workers workers;
    private final Scratch scratch;

    VectorBackend(int threads) {
        workers = new Workers(threads);
        scratch = new Scratch(threads);
    }

    @Override
    public BackendId id() {
        return BackendId.VECTOR;
    }

    @Override
    public int threads() {
        return workers.threads();
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

    private static Optional<Dropout> dropout(DropoutSite site, OperatorContext context) {
        if (!site.active()) {
            return Optional.empty();
        }
        PhiloxLanes random = PhiloxLanes.of(
                context.dropoutSeed(), (int) context.updateCount(), context.philoxWorkerWord(), site.operator());
        return Optional.of(new Dropout(random, site.thresholdWord(), site.scale()));
    }

    @Override
    public void embedding(Embedding op, OperatorContext context) {
        op.requireBatch(context.batch());
        float[] out = op.out().data();
        int width = op.tokens().columns();
        Optional<Dropout> dropout = dropout(op.dropout(), context);
        Pieces.ofRows(workers, op.out().size() / width, width, (from, to, worker) -> {
            Embeddings.gather(op.tokens().data(), context.batch().ids(), out, width, from, to);
            op.positions()
                    .ifPresent(p ->
                            Embeddings.addPositions(p.data(), context.batch().length(), out, width, from, to));
            dropout.ifPresent(d -> d.apply(out, out, from * width, to * width, scratch.of(worker)));
        });
    }

    @Override
    public void embeddingGradient(EmbeddingGradient op, OperatorContext context) {
        int width = op.dTokens().columns();
        int rows = op.dOut().size() / width;
        op.requireBatch(context.batch());
        float[] d = droppedGradient(op, context);
        Embeddings.Groups tokens =
                Embeddings.Groups.of(context.batch().ids(), rows, op.dTokens().rows());
        Pieces.ofRows(
                workers,
                op.dTokens().rows(),
                width,
                (from, to, worker) -> Embeddings.sumRows(tokens, d, op.dTokens().data(), width, op.add(), from, to));
        op.dPositions().ifPresent(table -> {
            Embeddings.Groups positions = Embeddings.Groups.of(Batches.positions(context.batch()), rows, table.rows());
            Pieces.ofRows(
                    workers,
                    table.rows(),
                    width,
                    (from, to, worker) -> Embeddings.sumRows(positions, d, table.data(), width, false, from, to));
        });
    }

    private float[] droppedGradient(EmbeddingGradient op, OperatorContext context) {
        Optional<Dropout> dropout = dropout(op.dropout(), context);
        float[] dOut = op.dOut().data();
        if (dropout.isEmpty()) {
            return dOut;
        }
        float[] d = scratch.left(dOut.length);
        Pieces.ofElements(
                workers, dOut.length, (from, to, worker) -> dropout.get().apply(dOut, d, from, to, scratch.of(worker)));
        return d;
    }

    @Override
    public void linear(Linear op) {
        Gemm.multiply(workers, scratch, Linears.forward(op));
    }

    @Override
    public void linearInputGradient(LinearInputGradient op) {
        Gemm.multiply(workers, scratch, Linears.inputGradient(op));
    }

    @Override
    public void linearWeightGradient(LinearWeightGradient op) {
        Gemm.multiply(workers, scratch, Linears.weightGradient(op));
        op.dBias()
                .ifPresent(bias -> ColumnSums.plain(
                        workers, op.dy().data(), op.dy().rows(), op.dy().columns(), bias.data()));
    }

    @Override
    public void layerNorm(LayerNorm op) {
        int width = op.x().columns();
        Norms.LayerRows rows = new Norms.LayerRows(
                op.x().data(),
                op.gain().data(),
                op.bias().data(),
                op.eps(),
                op.y().data(),
                op.mean().data(),
                op.rstd().data(),
                width);
        eachRow(op.x().rows(), width, (row, local) -> Norms.layer(rows, row, local));
    }

    @Override
    public void layerNormGradient(LayerNormGradient op) {
        int width = op.x().columns();
        Norms.GradientRows rows = new Norms.GradientRows(
                op.dy().data(),
                op.x().data(),
                op.gain().data(),
                op.mean().data(),
                op.rstd().data(),
                op.add(),
                op.dx().data(),
                width);
        new NormGradients(workers, scratch, rows, op.x().rows())
                .layer(op.dGain().data(), op.dBias().data());
    }

    @Override
    public void rmsNorm(RmsNorm op) {
        int width = op.x().columns();
        Norms.RmsRows rows = new Norms.RmsRows(
                op.x().data(),
                op.gain().data(),
                op.eps(),
                op.y().data(),
                op.rstd().data(),
                width);
        eachRow(op.x().rows(), width, (row, local) -> Norms.rms(rows, row, local));
    }

    @Override
    public void rmsNormGradient(RmsNormGradient op) {
        int width = op.x().columns();
        float[] rstd = op.rstd().data();
        Norms.GradientRows rows = new Norms.GradientRows(
                op.dy().data(),
                op.x().data(),
                op.gain().data(),
                rstd,
                rstd,
                op.add(),
                op.dx().data(),
                width);
        new NormGradients(workers, scratch, rows, op.x().rows()).rms(op.dGain().data());
    }

    /** One row with the memory of the thread that computes it. */
    @FunctionalInterface
    private interface RowKernel {
        void run(int row, Scratch.Local local);
    }

    private void eachRow(int rows, int columns, RowKernel kernel) {
        Pieces.ofRows(workers, rows, columns, (from, to, worker) -> {
            Scratch.Local local = scratch.of(worker);
            for (int row = from; row < to; row++) {
                kernel.run(row, local);
            }
        });
    }

    @Override
    public void rope(Rope op) {
        int dim = op.shape().headDim();
        int width = op.x().columns();
        int length = op.shape().length();
        Rotation rotation = new Rotation(op.cos().data(), op.sin().data(), op.inverse(), dim / 2);
        float[] x = op.x().data();
        eachRow(op.x().rows(), width, (row, local) -> {
            for (int at = row * width; at < (row + 1) * width; at += dim) {
                rotation.head(x, at, row % length);
            }
        });
    }

    @Override
    public void attention(Attention op, OperatorContext context) {
        AttentionShape shape = op.shape();
        op.requireBatch(context.batch());
        Optional<Dropout> dropout = dropout(op.dropout(), context);
        workers.run(
                shape.sequences() * shape.heads(),
                (i, worker) ->
                        CausalAttention.forward(op, dropout, i / shape.heads(), i % shape.heads(), scratch.of(worker)));
    }

    @Override
    public void attentionGradient(AttentionGradient op, OperatorContext context) {
        AttentionShape shape = op.forward().shape();
        op.forward().requireBatch(context.batch());
        Optional<Dropout> dropout = dropout(op.forward().dropout(), context);
        workers.run(
                shape.sequences() * shape.kvHeads(),
                (i, worker) -> CausalAttentionGradient.run(
                        op, dropout, i / shape.kvHeads(), i % shape.kvHeads(), scratch.of(worker)));
    }

    @Override
    public void gelu(Gelu op) {
        float[] x = op.x().data();
        float[] y = op.y().data();
        Pieces.ofElements(
                workers, x.length, (from, to, worker) -> Activations.gelu(x, y, from, to, scratch.of(worker)));
    }

    @Override
    public void geluGradient(GeluGradient op) {
        float[] x = op.x().data();
        float[] dy = op.dy().data();
        float[] dx = op.dx().data();
        Pieces.ofElements(
                workers,
                x.length,
                (from, to, worker) -> Activations.geluGradient(x, dy, dx, from, to, scratch.of(worker)));
    }

    @Override
    public void swiGlu(SwiGlu op) {
        float[] gate = op.gate().data();
        float[] up = op.up().data();
        float[] y = op.y().data();
        Pieces.ofElements(
                workers, y.length, (from, to, worker) -> Activations.swiGlu(gate, up, y, from, to, scratch.of(worker)));
    }

    @Override
    public void swiGluGradient(SwiGluGradient op) {
        Activations.SwiGluArrays arrays = new Activations.SwiGluArrays(
                op.gate().data(),
                op.up().data(),
                op.dy().data(),
                op.dGate().data(),
                op.dUp().data());
        Pieces.ofElements(
                workers,
                op.gate().size(),
                (from, to, worker) -> Activations.swiGluGradient(arrays, from, to, scratch.of(worker)));
    }

    @Override
    public void dropoutAdd(DropoutAdd op, OperatorContext context) {
        float[] x = op.x().data();
        float[] branch = op.branch().data();
        float[] out = op.out().data();
        Optional<Dropout> dropout = dropout(op.dropout(), context);
        Pieces.ofElements(workers, out.length, (from, to, worker) -> {
            if (dropout.isPresent()) {
                dropout.get().addTo(x, branch, out, from, to, scratch.of(worker));
            } else {
                Elements.add(x, branch, out, from, to);
            }
        });
    }

    @Override
    public void dropoutGradient(DropoutGradient op, OperatorContext context) {
        float[] dy = op.dy().data();
        float[] dx = op.dx().data();
        Dropout dropout = dropout(op.dropout(), context).orElseThrow();
        Pieces.ofElements(
                workers, dx.length, (from, to, worker) -> dropout.apply(dy, dx, from, to, scratch.of(worker)));
    }

    @Override
    public void crossEntropy(CrossEntropy op, OperatorContext context) {
        int vocab = op.logits().columns();
        op.requireBatch(context.batch());
        SoftmaxLoss loss = new SoftmaxLoss(
                op.logits().data(),
                op.targets(context.batch()),
                vocab,
                context.invCount(),
                op.losses().data(),
                op.dLogits().data());
        eachRow(op.logits().rows(), vocab, loss::row);
    }

    @Override
    public void apply(ScalarFunction function, Tensor x, Tensor y) {
        float[] from = x.data();
        float[] into = y.data();
        Pieces.ofElements(
                workers,
                from.length,
                (first, end, worker) -> ScalarSweep.apply(function, from, into, first, end, scratch.of(worker)));
    }

    @Override
    public void add(List<Tensor> sum, List<Tensor> addend) {
        workers.run(sum.size(), (i, worker) -> {
            float[] into = sum.get(i).data();
            Elements.add(into, addend.get(i).data(), into, 0, into.length);
        });
    }

    @Override
    public void scale(List<Tensor> tensors, float factor) {
        workers.run(tensors.size(), (i, worker) -> {
            float[] x = tensors.get(i).data();
            Elements.scale(x, factor, 0, x.length);
        });
    }

    @Override
    public int[] combineExact(List<Tensor> byWorker, Tensor out) {
        float[] sum = out.data();
        int[] exponents = new int[Segments.count(sum.length)];
        workers.run(exponents.length, (i, worker) -> {
            int from = i * Segments.LENGTH;
            int to = Math.min(sum.length - from, Segments.LENGTH) + from;
            exponents[i] =
                    ExactSum.segment(byWorker, sum, from, to, scratch.of(worker).rows());
        });
        return exponents;
    }

    @Override
    public void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        float[] into = out.data();
        Pieces.ofElements(
                workers,
                into.length,
                (from, to, worker) -> Robust.trimmedMean(byWorker, trim, into, from, to, scratch.of(worker)));
    }

    @Override
    public double squaredDistance(List<Tensor> a, List<Tensor> b) {
        return Segments.chain(
                workers,
                a,
                (tensor, from, count, worker) -> Robust.squaredDistance(
                        a.get(tensor).data(), b.get(tensor).data(), from, count, scratch.of(worker)));
    }

    @Override
    public void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        workers.run(
                out.size(),
                (i, worker) -> Robust.weightedSum(
                        terms.stream().map(term -> term.get(i).data()).toList(),
                        weights,
                        out.get(i).data()));
    }

    @Override
    public void roundToBf16(List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            float[] x = tensor.data();
            Pieces.ofElements(workers, x.length, (from, to, worker) -> Bf16.round(x, from, to));
        }
    }

    @Override
    public double sumOfSquares(List<Tensor> tensors) {
        return Segments.sumOfSquares(workers, scratch, tensors);
    }

    @Override
    public double sum(Tensor losses, double start) {
        return Segments.sum(scratch.of(0).rows(), losses.data(), start);
    }

    @Override
    public boolean allFinite(List<Tensor> tensors) {
        AtomicBoolean finite = new AtomicBoolean(true);
        workers.run(tensors.size(), (i, worker) -> {
            float[] x = tensors.get(i).data();
            if (!Elements.finite(x, 0, x.length)) {
                finite.set(false);
            }
        });
        return finite.get();
    }

    @Override
    public boolean adamW(List<AdamWSlot> slots, AdamWConstants constants) {
        return adamW(slots, constants, Double.POSITIVE_INFINITY, new StateBounds());
    }

    @Override
    public boolean adamW(List<AdamWSlot> slots, AdamWConstants constants, double gradientBound, StateBounds bounds) {
        return new Updates(workers, slots, constants).run(gradientBound, bounds);
    }

    @Override
    public boolean sgd(List<SgdSlot> slots, SgdConstants constants) {
        List<Momentum> updates =
                slots.stream().map(slot -> Momentum.of(slot, constants)).toList();
        AtomicBoolean finite = new AtomicBoolean(true);
        workers.run(updates.size(), (i, worker) -> {
            if (finite.get() && !updates.get(i).staysFinite(scratch.of(worker))) {
                finite.set(false);
            }
        });
        if (finite.get()) {
            workers.run(updates.size(), (i, worker) -> updates.get(i).update(scratch.of(worker)));
        }
        return finite.get();
    }

    @Override
    public void fillInitial(Tensor out, long seed, int tensorIndex, float std) {
        PhiloxLanes random = PhiloxLanes.wide(seed, 0x8000_0000 | tensorIndex);
        float[] weights = out.data();
        Pieces.ofElements(
                workers,
                weights.length,
                (from, to, worker) -> InitialWeights.fill(random, std, weights, from, to, scratch.of(worker)));
    }

    @Override
    public void close() {
        workers.close();
    }
}
