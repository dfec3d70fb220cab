package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link LayerNorm}. Per row: h = dy·gain; A = SUM128(h)·invN; B = DOT128(h, x̂)·invN with x̂ = (x − μ)·r;
 * dNorm = r·((h − A) − (x̂·B)); dx = dNorm, or with {@code add} dx = dx + dNorm (the residual branch meets here).
 * dGain = DOT over tokens(dy, x̂); dBias = DOT over tokens(dy, 1).
 *
 * @param dy [N, C]
 * @param x [N, C], input of the forward operator
 * @param gain [C]
 * @param mean [N]
 * @param rstd [N]
 * @param dx [N, C]; aliases no other argument
 * @param dGain [C]; overwritten
 * @param dBias [C]; overwritten
 */
public record LayerNormGradient(
        String name,
        Tensor dy,
        Tensor x,
        Tensor gain,
        Tensor mean,
        Tensor rstd,
        boolean add,
        Tensor dx,
        Tensor dGain,
        Tensor dBias)
        implements Operator {
    public LayerNormGradient {
        Check.matrix(name, dy, x.rows(), x.columns());
        Check.matrix(name, dx, x.rows(), x.columns());
        Check.vector(name, gain, x.columns());
        Check.vector(name, mean, x.rows());
        Check.vector(name, rstd, x.rows());
        Check.vector(name, dGain, x.columns());
        Check.vector(name, dBias, x.columns());
        Check.apart(name, dx, dy, x, gain, mean, rstd, dGain, dBias);
        Check.apart(name, dGain, dy, x, gain, mean, rstd, dBias);
        Check.apart(name, dBias, dy, x, gain, mean, rstd);
    }

    @Override
    public String kind() {
        return "layer_norm_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return add ? List.of(dy, x, gain, mean, rstd, dx) : List.of(dy, x, gain, mean, rstd);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(dx, dGain, dBias);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.layerNormGradient(this);
    }
}
