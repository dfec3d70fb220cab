package org.bitwitness.kernels.op;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * dW[i][o] = DOT over flat tokens n(x[n][i], dy[n][o]); dBias[o] = DOT over flat tokens(dy[n][o], 1).
 *
 * @param x [N, I]
 * @param dy [N, O]
 * @param dWeight [I, O] or [O, I] by layout; overwritten
 * @param dBias [O]; overwritten
 */
public record LinearWeightGradient(
        String name, Tensor x, Tensor dy, WeightLayout layout, Tensor dWeight, Optional<Tensor> dBias)
        implements Operator {
    public LinearWeightGradient {
        boolean inOut = layout == WeightLayout.IN_OUT;
        Check.matrix(name, dWeight, inOut ? x.columns() : dy.columns(), inOut ? dy.columns() : x.columns());
        Check.matrix(name, dy, x.rows(), dy.columns());
        dBias.ifPresent(b -> Check.vector(name, b, dy.columns()));
        Check.apart(name, dWeight, x, dy, dBias.orElse(x));
        dBias.ifPresent(b -> Check.apart(name, b, x, dy));
    }

    @Override
    public String kind() {
        return "linear_weight_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x, dy);
    }

    @Override
    public List<Tensor> outputs() {
        return dBias.map(b -> List.of(dWeight, b)).orElse(List.of(dWeight));
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.linearWeightGradient(this);
    }
}
