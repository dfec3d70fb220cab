package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * y = (gate·σ(gate))·up, element by element.
 *
 * @param gate any shape
 * @param up as gate
 * @param y as gate; overwritten; aliases nothing
 */
public record SwiGlu(String name, Tensor gate, Tensor up, Tensor y) implements Operator {
    public SwiGlu {
        Check.sameSize(name, gate, up);
        Check.sameSize(name, gate, y);
        Check.apart(name, y, gate, up);
    }

    @Override
    public String kind() {
        return "swiglu";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(gate, up);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(y);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.swiGlu(this);
    }
}
