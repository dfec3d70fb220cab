package org.bitwitness.kernels.op;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Causal attention. Per sequence, head and query i, keys j ≤ i: s = DOT_d(q, k)·scale; m = row max + (+0); e = exp(s − m);
 * z = SUM128(e) with lane = j mod 128; out = DOT_j(e, v)/z. With dropout: P = e·(1/z); P' = keep ? P·drop : +0;
 * out = DOT_j(P', v) and no division; the dropout element is {@code ((s·H + h)·T + i)·T + j}.
 *
 * @param q heads of width D, H of them
 * @param k K heads
 * @param v K heads
 * @param scale (float)(1.0/√(double) D)
 * @param out [N, H · D]; overwritten; aliases nothing
 * @param rowMax [S·H·T], m; overwritten
 * @param rowSum [S·H·T], z; overwritten
 */
public record Attention(
        String name,
        AttentionShape shape,
        HeadsView q,
        HeadsView k,
        HeadsView v,
        float scale,
        DropoutSite dropout,
        Tensor out,
        Tensor rowMax,
        Tensor rowSum)
        implements Operator {
    public Attention {
        Check.heads(name, q, shape, shape.heads());
        Check.heads(name, k, shape, shape.kvHeads());
        Check.heads(name, v, shape, shape.kvHeads());
        Check.matrix(name, out, shape.tokens(), Math.multiplyExact(shape.heads(), shape.headDim()));
        Check.vector(name, rowMax, shape.rows());
        Check.vector(name, rowSum, shape.rows());
        Check.apart(name, out, q.tensor(), k.tensor(), v.tensor(), rowMax, rowSum);
        Check.apart(name, rowMax, q.tensor(), k.tensor(), v.tensor(), rowSum);
        Check.apart(name, rowSum, q.tensor(), k.tensor(), v.tensor());
    }

    /**
     * Refuses a micro-batch that this operator was not built for.
     *
     * @throws IllegalArgumentException naming what does not fit
     */
    public void requireBatch(MicroBatch batch) {
        BatchCheck.shape(name, batch, shape);
    }

    @Override
    public String kind() {
        return "attention";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return distinct(q.tensor(), k.tensor(), v.tensor());
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(out, rowMax, rowSum);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.attention(this, context);
    }

    private static List<Tensor> distinct(Tensor... tensors) {
        return Arrays.stream(tensors).distinct().toList();
    }
}
