package org.bitwitness.kernels.program;

/**
 * Where one block of a model stands in its step program: half-open spans of operator positions.
 *
 * @param forward first operator of its forward
 * @param forwardEnd the one after the last
 * @param backward first operator of its backward
 * @param backwardEnd the one after the last
 */
record BlockSpan(int forward, int forwardEnd, int backward, int backwardEnd) {
    BlockSpan {
        if (forward < 0 || forwardEnd <= forward || backward < forwardEnd || backwardEnd <= backward) {
            throw new IllegalArgumentException("a block is computed forward, then backward, got [%d, %d) and [%d, %d)"
                    .formatted(forward, forwardEnd, backward, backwardEnd));
        }
    }

    boolean contains(int operator) {
        return (operator >= forward && operator < forwardEnd) || (operator >= backward && operator < backwardEnd);
    }
}
