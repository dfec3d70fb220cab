package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * An active dropout in the forward: out = keep ? x·drop : +0. To the bit what {@link DropoutGradient} does to a gradient, so the
 * backends have one method for both.
 *
 * @param x [N, C]
 * @param out [N, C]; overwritten; may be x itself
 */
public record Dropout(String name, Tensor x, DropoutSite dropout, Tensor out) implements Operator {
    public Dropout {
        Check.sameSize(name, x, out);
        if (!dropout.active()) {
            throw new IllegalArgumentException(name + ": a dropout of rate 0 has no operator");
        }
    }

    @Override
    public String kind() {
        return "dropout";
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
        return List.of(out);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.dropoutGradient(new DropoutGradient(name, x, dropout, out), context);
    }
}
