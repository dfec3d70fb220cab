package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link RmsNorm}. Per row: h = dy·gain; t = (DOT128(h, x)·invN)·((r·r)·r); dNorm = fma(−t, x, h·r);
 * dx = dNorm, or with {@code add} dx = dx + dNorm. dGain = DOT over tokens(dy, x·r).
 *
 * @param dy [N, C]
 * @param x [N, C], input of the forward operator
 * @param gain [C]
 * @param rstd [N]
 * @param dx [N, C]; aliases no other argument
 * @param dGain [C]; overwritten
 */
public record RmsNormGradient(
        String name, Tensor dy, Tensor x, Tensor gain, Tensor rstd, boolean add, Tensor dx, Tensor dGain)
        implements Operator {
    public RmsNormGradient {
        Check.matrix(name, dy, x.rows(), x.columns());
        Check.matrix(name, dx, x.rows(), x.columns());
        Check.vector(name, gain, x.columns());
        Check.vector(name, rstd, x.rows());
        Check.vector(name, dGain, x.columns());
        Check.apart(name, dx, dy, x, gain, rstd, dGain);
        Check.apart(name, dGain, dy, x, gain, rstd);
    }

    @Override
    public String kind() {
        return "rms_norm_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return add ? List.of(dy, x, gain, rstd, dx) : List.of(dy, x, gain, rstd);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(dx, dGain);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.rmsNormGradient(this);
    }
}
