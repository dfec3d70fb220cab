package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of an active dropout: dx = keep ? dy·drop : +0.
 *
 * @param dy [N, C]
 * @param dx [N, C]; overwritten; may be dy itself
 */
public record DropoutGradient(String name, Tensor dy, DropoutSite dropout, Tensor dx) implements Operator {
    public DropoutGradient {
        Check.sameSize(name, dy, dx);
        if (!dropout.active()) {
            throw new IllegalArgumentException(name + ": a dropout of rate 0 has no operator");
        }
    }

    @Override
    public String kind() {
        return "dropout_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(dy);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(dx);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.dropoutGradient(this, context);
    }
}
