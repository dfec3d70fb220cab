package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link SwiGlu}: s = σ(gate); a = gate·s; da = dy·up; dUp = dy·a; dGate = da·fma(a, 1 − s, s).
 *
 * @param gate input of the forward operator
 * @param up as gate
 * @param dy as gate
 * @param dGate as gate; overwritten; aliases no input
 * @param dUp as gate; overwritten; aliases no input
 */
public record SwiGluGradient(String name, Tensor gate, Tensor up, Tensor dy, Tensor dGate, Tensor dUp)
        implements Operator {
    public SwiGluGradient {
        Check.sameSize(name, gate, up);
        Check.sameSize(name, gate, dy);
        Check.sameSize(name, gate, dGate);
        Check.sameSize(name, gate, dUp);
        Check.apart(name, dGate, gate, up, dy, dUp);
        Check.apart(name, dUp, gate, up, dy);
    }

    @Override
    public String kind() {
        return "swiglu_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(gate, up, dy);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(dGate, dUp);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.swiGluGradient(this);
    }
}
