package org.bitwitness.kernels.op;

/**
 * One dropout operator of the model. An element stays when its Philox word, unsigned, is below {@code threshold}, and is
 * then multiplied by {@code scale}; otherwise it becomes +0. Rate 0 means that the operator does not exist
 * ({@link #active} is false) and nothing is multiplied.
 *
 * @param active false when the rate is 0
 * @param operator number of the operator, Philox's c3: embedding 0; block ℓ: attention probabilities 3ℓ+1, after the
 *     attention projection 3ℓ+2, after the MLP projection 3ℓ+3
 * @param threshold K of the profile, 1 to 2^32 − 1
 * @param scale (float)(1.0 / keep)
 */
public record DropoutSite(boolean active, int operator, long threshold, float scale) {
    public DropoutSite {
        if (operator < 0 || operator >= 0x4000_0000) {
            throw new IllegalArgumentException("dropout operator numbers are 0 to 2^30 - 1, got " + operator);
        }
        if (active && (threshold < 1 || threshold > 0xffff_ffffL || !(scale >= 1) || !Float.isFinite(scale))) {
            throw new IllegalArgumentException(
                    "dropout needs a threshold of 1 to 2^32 - 1 and a finite scale of at least 1, got %d and %s"
                            .formatted(threshold, scale));
        }
    }

    /** No dropout at this place; the number stays reserved. */
    public static DropoutSite none(int operator) {
        return new DropoutSite(false, operator, 0, 1);
    }

    /** Threshold as the 32 bits a kernel compares, unsigned, with a Philox word. */
    public int thresholdWord() {
        return (int) threshold;
    }
}
