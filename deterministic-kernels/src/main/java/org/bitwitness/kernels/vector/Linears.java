package org.bitwitness.kernels.vector;

import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.vector.Product.Ending;

/** The three products of a linear layer as views of the stored tensors; nothing is transposed in memory. */
final class Linears {
    private Linears() {}

    /** The stored matrix as [inputs, outputs]. */
    private static Matrix byInput(Tensor weight, WeightLayout layout) {
        Matrix stored = matrix(weight);
        return layout == WeightLayout.IN_OUT ? stored : stored.transposed();
    }

    private static Matrix matrix(Tensor tensor) {
        return Matrix.rows(tensor.data(), tensor.columns());
    }

    static Product forward(Linear op) {
        Product y = Product.of(
                matrix(op.x()),
                byInput(op.weight(), op.layout()),
                matrix(op.y()),
                op.x().rows(),
                op.y().columns(),
                op.x().columns());
        return op.bias().map(bias -> y.plus(bias.data())).orElse(y);
    }

    static Product inputGradient(LinearInputGradient op) {
        return Product.of(
                        matrix(op.dy()),
                        byInput(op.weight(), op.layout()).transposed(),
                        matrix(op.dx()),
                        op.dy().rows(),
                        op.dx().columns(),
                        op.dy().columns())
                .ending(op.add() ? Ending.ADD : Ending.STORE);
    }

    /** A multiplication commutes, so the layout only decides which operand gives the rows. */
    static Product weightGradient(LinearWeightGradient op) {
        boolean inOut = op.layout() == WeightLayout.IN_OUT;
        Tensor rows = inOut ? op.x() : op.dy();
        Tensor columns = inOut ? op.dy() : op.x();
        return Product.of(
                matrix(rows).transposed(),
                matrix(columns),
                matrix(op.dWeight()),
                rows.columns(),
                columns.columns(),
                op.x().rows());
    }
}
