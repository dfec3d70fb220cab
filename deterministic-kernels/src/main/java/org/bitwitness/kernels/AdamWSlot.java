package org.bitwitness.kernels;

/**
 * One parameter with what its update reads and writes.
 *
 * @param parameter W; changed in place
 * @param m first moment; changed in place
 * @param v second moment; changed in place
 * @param gradient combined gradient, before clipping; not changed
 * @param decays whether weight decay applies
 */
public record AdamWSlot(Tensor parameter, Tensor m, Tensor v, Tensor gradient, boolean decays) {
    public AdamWSlot {
        if (m.size() != parameter.size() || v.size() != parameter.size() || gradient.size() != parameter.size()) {
            throw new IllegalArgumentException("moments and gradient of %s should have %d elements, have %d, %d and %d"
                    .formatted(parameter, parameter.size(), m.size(), v.size(), gradient.size()));
        }
    }
}
