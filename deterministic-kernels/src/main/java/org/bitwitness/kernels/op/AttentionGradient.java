package org.bitwitness.kernels.op;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link Attention}. rz = 1/z; P = e·rz; dV = DOT_i(P or P', dO); dP = DOT_d(dO, v), with dropout
 * keep ? that·drop : +0; row = DOT128(dO, O); dS = (P·(dP − row))·scale; dQ = DOT_j(dS, k); dK = DOT_i(dS, q).
 * Grouped heads: dK and dV are summed over the query heads of a group, ascending, starting with a copy of the first.
 *
 * @param forward the operator whose backward this is; its q, k, v, out, rowMax and rowSum are read
 * @param dOut [N, H · D]
 * @param dq as q, all N · H · D elements overwritten; the three views cover their tensors completely
 * @param dk as k
 * @param dv as v
 */
public record AttentionGradient(String name, Attention forward, Tensor dOut, HeadsView dq, HeadsView dk, HeadsView dv)
        implements Operator {
    public AttentionGradient {
        AttentionShape shape = forward.shape();
        Check.heads(name, dq, shape, shape.heads());
        Check.heads(name, dk, shape, shape.kvHeads());
        Check.heads(name, dv, shape, shape.kvHeads());
        Check.matrix(name, dOut, shape.tokens(), Math.multiplyExact(shape.heads(), shape.headDim()));
        Check.disjoint(name, dq, shape.heads(), dk, shape.kvHeads(), shape.headDim());
        Check.disjoint(name, dq, shape.heads(), dv, shape.kvHeads(), shape.headDim());
        Check.disjoint(name, dk, shape.kvHeads(), dv, shape.kvHeads(), shape.headDim());
        for (HeadsView written : List.of(dq, dk, dv)) {
            Check.apart(name, written.tensor(), dOut, forward.out(), forward.rowMax(), forward.rowSum());
            Check.apart(
                    name,
                    written.tensor(),
                    forward.q().tensor(),
                    forward.k().tensor(),
                    forward.v().tensor());
        }
    }

    @Override
    public String kind() {
        return "attention_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return distinct(
                dOut,
                forward.q().tensor(),
                forward.k().tensor(),
                forward.v().tensor(),
                forward.out(),
                forward.rowMax(),
                forward.rowSum());
    }

    @Override
    public List<Tensor> outputs() {
        return distinct(dq.tensor(), dk.tensor(), dv.tensor());
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.attentionGradient(this, context);
    }

    private static List<Tensor> distinct(Tensor... tensors) {
        return Arrays.stream(tensors).distinct().toList();
    }
}
