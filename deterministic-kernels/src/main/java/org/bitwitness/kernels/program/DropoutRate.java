package org.bitwitness.kernels.program;

import org.bitwitness.kernels.op.DropoutSite;

/**
 * A dropout rate with the constants that decide bits.
 *
 * @param rate binary64, 0 ≤ rate &lt; 1; 0 means that the operator does not exist
 * @param threshold K = min(⌊keep·2^32 + 0.5⌋, 2^32 − 1), keep = 1 − rate; 0 when the rate is 0
 * @param scale (float)(1.0/keep); 1 when the rate is 0
 */
public record DropoutRate(double rate, long threshold, float scale) {
    public static final DropoutRate NONE = new DropoutRate(0, 0, 1);

    private static final double TWO_32 = 4_294_967_296.0;

    public DropoutRate {
        if (!(rate >= 0 && rate < 1)) {
            throw new IllegalArgumentException("a dropout rate is at least 0 and below 1, got " + rate);
        }
    }

    /** The constants as the profile computes them. */
    public static DropoutRate of(double rate) {
        if (rate == 0) {
            return NONE;
        }
        double keep = 1 - rate;
        long threshold = (long) Math.min(Math.floor(keep * TWO_32 + 0.5), TWO_32 - 1);
        return new DropoutRate(rate, threshold, (float) (1.0 / keep));
    }

    public DropoutSite site(int operator) {
        return rate == 0 ? DropoutSite.none(operator) : new DropoutSite(true, operator, threshold, scale);
    }
}
