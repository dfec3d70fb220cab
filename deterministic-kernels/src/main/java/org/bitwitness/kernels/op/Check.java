package org.bitwitness.kernels.op;

import org.bitwitness.kernels.Tensor;

/** Argument checks of the operators: messages name the operator, the tensor, expected and found. */
final class Check {
    private Check() {}

    static void matrix(String operator, Tensor tensor, int rows, int columns) {
        if (tensor.rows() != rows || tensor.columns() != columns) {
            throw new IllegalArgumentException("%s: %s should be [%d, %d], is %s"
                    .formatted(operator, tensor.name(), rows, columns, tensor.shape()));
        }
    }

    /** Rows of one or more tokens of so many channels. */
    static void sideBySide(String operator, Tensor tensor, int channels) {
        if (tensor.columns() < channels || tensor.columns() % channels != 0) {
            throw new IllegalArgumentException("%s: %s should have %d channels for each token, is %s"
                    .formatted(operator, tensor.name(), channels, tensor.shape()));
        }
    }

    static void vector(String operator, Tensor tensor, int elements) {
        if (tensor.size() != elements) {
            throw new IllegalArgumentException("%s: %s should have %d elements, is %s"
                    .formatted(operator, tensor.name(), elements, tensor.shape()));
        }
    }

    static void sameSize(String operator, Tensor a, Tensor b) {
        if (a.size() != b.size()) {
            throw new IllegalArgumentException("%s: %s %s and %s %s should have the same number of elements"
                    .formatted(operator, a.name(), a.shape(), b.name(), b.shape()));
        }
    }

    /** Refuses an output that shares storage with any of {@code others}. */
    static void apart(String operator, Tensor output, Tensor... others) {
        for (Tensor other : others) {
            if (output.aliases(other)) {
                throw new IllegalArgumentException("%s: output %s must not alias %s: give it storage of its own"
                        .formatted(operator, output.name(), other.name()));
            }
        }
    }

    static void heads(String operator, HeadsView view, AttentionShape shape, int heads) {
        if (view.tensor().rows() != shape.tokens()) {
            throw new IllegalArgumentException("%s: %s should have %d rows, is %s"
                    .formatted(
                            operator,
                            view.tensor().name(),
                            shape.tokens(),
                            view.tensor().shape()));
        }
        if (view.offset() + (long) heads * shape.headDim() > view.stride()) {
            throw new IllegalArgumentException("%s: %d heads of %d channels from channel %d do not fit in %s"
                    .formatted(operator, heads, shape.headDim(), view.offset(), view.tensor()));
        }
    }

    /** Refuses two written views whose channels overlap in one tensor. */
    static void disjoint(String operator, HeadsView a, int headsA, HeadsView b, int headsB, int headDim) {
        boolean apart = a.offset() + headsA * headDim <= b.offset() || b.offset() + headsB * headDim <= a.offset();
        if (a.tensor().aliases(b.tensor()) && !apart) {
            throw new IllegalArgumentException(
                    "%s: outputs %s and %s alias: their heads overlap from channels %d and %d"
                            .formatted(operator, a.tensor().name(), b.tensor().name(), a.offset(), b.offset()));
        }
    }
}
