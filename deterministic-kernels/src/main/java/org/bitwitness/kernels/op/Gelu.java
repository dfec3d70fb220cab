package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * GELU, tanh form, element by element.
 *
 * @param x any shape
 * @param y as x; overwritten; may be x itself
 */
public record Gelu(String name, Tensor x, Tensor y) implements Operator {
    public Gelu {
        Check.sameSize(name, x, y);
    }

    @Override
    public String kind() {
        return "gelu";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(y);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.gelu(this);
    }
}
