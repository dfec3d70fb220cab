package org.bitwitness.kernels.agreement;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Tensor;

/** One operator of {@link Backend} with arguments of random shape. */
record OperatorCase(String name, Body body) {
    @FunctionalInterface
    interface Body {
        /** Runs the operator; the result holds every tensor it may write and the inputs it must leave alone. */
        List<Tensor> run(Backend backend, Inputs inputs);
    }

    @Override
    public String toString() {
        return name;
    }
}
