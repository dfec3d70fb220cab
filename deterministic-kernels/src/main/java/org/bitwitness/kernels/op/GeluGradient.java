package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link Gelu}: dx = dy·g(x).
 *
 * @param x input of the forward operator
 * @param dy as x
 * @param dx as x; overwritten; may be dy itself, not x
 */
public record GeluGradient(String name, Tensor x, Tensor dy, Tensor dx) implements Operator {
    public GeluGradient {
        Check.sameSize(name, x, dy);
        Check.sameSize(name, x, dx);
        Check.apart(name, dx, x);
    }

    @Override
    public String kind() {
        return "gelu_gradient";
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
        return List.of(dx);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.geluGradient(this);
    }
}
