package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Rotary position embedding in place, on pairs (i, i + D/2) of every head, position = n mod T:
 * y0 = fma(−x1, s, x0·c); y1 = fma(x1, c, x0·s). The backward is the same with −s ({@code inverse}).
 *
 * @param cos [context, D/2]; context at least T
 * @param sin [context, D/2]
 * @param inverse true in the backward
 * @param x [N, heads · D]; changed in place
 */
public record Rope(String name, AttentionShape shape, Tensor cos, Tensor sin, boolean inverse, Tensor x)
        implements Operator {
    public Rope {
        if (shape.headDim() % 2 != 0 || x.columns() % shape.headDim() != 0) {
            throw new IllegalArgumentException("%s: needs an even head dimension that divides the width, got %d and %d"
                    .formatted(name, shape.headDim(), x.columns()));
        }
        Check.matrix(name, x, shape.tokens(), x.columns());
        Check.matrix(name, cos, cos.rows(), shape.headDim() / 2);
        Check.matrix(name, sin, cos.rows(), shape.headDim() / 2);
        if (cos.rows() < shape.length()) {
            throw new IllegalArgumentException(
                    "%s: the table has %d positions, the sequences %d".formatted(name, cos.rows(), shape.length()));
        }
        Check.apart(name, x, cos, sin);
    }

    @Override
    public String kind() {
        return inverse ? "rope_gradient" : "rope";
    }

    @Override
    public Phase phase() {
        return inverse ? Phase.BACKWARD : Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x, cos, sin);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(x);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.rope(this);
    }
}
