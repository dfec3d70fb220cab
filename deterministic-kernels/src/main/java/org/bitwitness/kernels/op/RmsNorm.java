package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Per row: r = 1/√(SUMSQ128(x)·invN + eps); y = (x·r)·gain.
 *
 * @param x [N, C]
 * @param gain [C]
 * @param y [N, C]; overwritten; aliases nothing
 * @param rstd [N], r of each row; overwritten
 */
public record RmsNorm(String name, Tensor x, Tensor gain, float eps, Tensor y, Tensor rstd) implements Operator {
    public RmsNorm {
        Check.matrix(name, y, x.rows(), x.columns());
        Check.vector(name, gain, x.columns());
        Check.vector(name, rstd, x.rows());
        Check.apart(name, y, x, gain, rstd);
        Check.apart(name, rstd, x, gain);
    }

    @Override
    public String kind() {
        return "rms_norm";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x, gain);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(y, rstd);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.rmsNorm(this);
    }
}
