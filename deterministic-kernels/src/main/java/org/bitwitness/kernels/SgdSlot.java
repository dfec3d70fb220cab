package org.bitwitness.kernels;

/**
 * One parameter with what its SGD update reads and writes.
 *
 * @param parameter W; changed in place
 * @param m momentum buffer; changed in place
 * @param gradient combined gradient, before clipping; not changed
 * @param decays whether weight decay applies
 */
public record SgdSlot(Tensor parameter, Tensor m, Tensor gradient, boolean decays) {
    public SgdSlot {
        if (m.size() != parameter.size() || gradient.size() != parameter.size()) {
            throw new IllegalArgumentException("momentum and gradient of %s should have %d elements, have %d and %d"
                    .formatted(parameter, parameter.size(), m.size(), gradient.size()));
        }
    }
}
