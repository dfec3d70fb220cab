package org.bitwitness.kernels;

/** Constants of the EXACT combining rule that backends share with their callers. */
public final class Exact {
    /** Elements per segment; segments restart at each tensor. */
    public static final int SEGMENT = 65_536;

    /** Stands for "no exponent": every element of the segment is ±0 in every worker, the sum is +0. */
    public static final int ZERO_SEGMENT = Integer.MIN_VALUE;

    /** Stands for "no exponent": an element is not finite in some worker, the segment of the result is all NaN. */
    public static final int NON_FINITE_SEGMENT = Integer.MAX_VALUE;

    private Exact() {}
}
