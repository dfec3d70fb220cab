package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;

/** Residual addition after dropout, and dropout's backward. */
final class DropoutKernel {
    private DropoutKernel() {}

    static void add(DropoutAdd op, OperatorContext context) {
        DropoutMask mask = new DropoutMask(op.dropout(), context);
        for (int i = 0; i < op.x().size(); i++) {
            op.out().data()[i] = op.x().data()[i] + mask.apply(i, op.branch().data()[i]);
        }
    }

    static void gradient(DropoutGradient op, OperatorContext context) {
        DropoutMask mask = new DropoutMask(op.dropout(), context);
        for (int i = 0; i < op.dy().size(); i++) {
            op.dx().data()[i] = mask.apply(i, op.dy().data()[i]);
        }
    }
}
