package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Residual: out = x + drop(branch); without dropout out = x + branch. The dropout element is the flat index.
 *
 * @param x [N, C]
 * @param branch [N, C]
 * @param out [N, C]; overwritten; may be x or branch itself
 */
public record DropoutAdd(String name, Tensor x, Tensor branch, DropoutSite dropout, Tensor out) implements Operator {
    public DropoutAdd {
        Check.sameSize(name, x, branch);
        Check.sameSize(name, x, out);
    }

    @Override
    public String kind() {
        return "dropout_add";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(x, branch);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(out);
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.dropoutAdd(this, context);
    }
}
