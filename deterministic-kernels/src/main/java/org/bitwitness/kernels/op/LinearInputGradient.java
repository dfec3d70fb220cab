package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * dx[n][i] = DOT over outputs(dy[n], W[i][·]), one DOT over all outputs of the stored matrix. With {@code add}: dx = dx + DOT.
 *
 * @param dy [N, O]
 * @param weight [I, O] or [O, I] by layout
 * @param dx [N, I]; aliases neither
 */
public record LinearInputGradient(String name, Tensor dy, Tensor weight, WeightLayout layout, boolean add, Tensor dx)
        implements Operator {
    public LinearInputGradient {
        boolean inOut = layout == WeightLayout.IN_OUT;
        Check.matrix(name, weight, inOut ? dx.columns() : dy.columns(), inOut ? dy.columns() : dx.columns());
        Check.matrix(name, dx, dy.rows(), dx.columns());
        Check.apart(name, dx, dy, weight);
    }

    @Override
    public String kind() {
        return "linear_input_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return add ? List.of(dy, weight, dx) : List.of(dy, weight);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(dx);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.linearInputGradient(this);
    }
}
