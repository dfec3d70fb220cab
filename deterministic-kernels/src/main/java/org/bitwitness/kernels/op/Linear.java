package org.bitwitness.kernels.op;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * y[n][o] = DOT over inputs(x[n], W[·][o]), then + bias[o] as an operation of its own.
 *
 * @param x [N, I]
 * @param weight [I, O] or [O, I] by layout
 * @param bias [O]
 * @param y [N, O]; overwritten; aliases nothing
 */
public record Linear(String name, Tensor x, Tensor weight, Optional<Tensor> bias, WeightLayout layout, Tensor y)
        implements Operator {
    public Linear {
        boolean inOut = layout == WeightLayout.IN_OUT;
        Check.matrix(name, weight, inOut ? x.columns() : y.columns(), inOut ? y.columns() : x.columns());
        Check.matrix(name, y, x.rows(), y.columns());
        bias.ifPresent(b -> Check.vector(name, b, y.columns()));
        Check.apart(name, y, x, weight, bias.orElse(weight));
    }

    @Override
    public String kind() {
        return "linear";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return bias.map(b -> List.of(x, weight, b)).orElse(List.of(x, weight));
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(y);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.linear(this);
    }
}
