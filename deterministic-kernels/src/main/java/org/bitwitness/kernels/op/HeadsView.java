package org.bitwitness.kernels.op;

import org.bitwitness.kernels.Tensor;

/**
 * Heads inside the rows of a tensor [N, stride]: channel d of head h of token n is at
 * {@code n · stride + offset + h · headDim + d}. GPT-2's q, k and v are three views of one tensor [N, 3·C].
 *
 * @param offset first channel of head 0 in every row
 */
public record HeadsView(Tensor tensor, int offset) {
    public HeadsView {
        if (offset < 0 || offset >= tensor.columns()) {
            throw new IllegalArgumentException("offset %d is outside the rows of %s".formatted(offset, tensor));
        }
    }

    /** Elements from one token's row to the next. */
    public int stride() {
        return tensor.columns();
    }
}
