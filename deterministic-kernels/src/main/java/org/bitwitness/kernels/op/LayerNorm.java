package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Per row: μ = SUM128(x)·invN; z = x − μ; r = 1/√(SUMSQ128(z)·invN + eps); y = fma(z·r, gain, bias).
 *
 * @param x [N, C]
 * @param gain [C]
 * @param bias [C]
 * @param y [N, C]; overwritten; aliases nothing
 * @param mean [N], μ of each row; overwritten
 * @param rstd [N], r of each row; overwritten
 */
public record LayerNorm(String name, Tensor x, Tensor gain, Tensor bias, float eps, Tensor y, Tensor mean, Tensor rstd)
        implements Operator {
    public LayerNorm {
        Check.matrix(name, y, x.rows(), x.columns());
        Check.vector(name, gain, x.columns());
        Check.vector(name, bias, x.columns());
        Check.vector(name, mean, x.rows());
        Check.vector(name, rstd, x.rows());
        Check.apart(name, y, x, gain, bias, mean, rstd);
        Check.apart(name, mean, x, gain, bias, rstd);
        Check.apart(name, rstd, x, gain, bias);
    }

    @Override
    public String kind() {
        return "layer_norm";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x, gain, bias);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(y, mean, rstd);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.layerNorm(this);
    }
}
