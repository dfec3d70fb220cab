package org.bitwitness.kernels;

import java.util.OptionalInt;

/**
 * The workers' gradients in one segment as one. A parameter's segments start at its first element, each {@value #ELEMENTS} long
 * but for the last: the unit in which EXACT combines and norms are summed, so segments can be combined anywhere.
 *
 * @param data after averaging, before clipping
 * @param sumOfSquares of {@code data}: a term of the norm's chain
 * @param exponent of EXACT
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record SegmentSum(float[] data, double sumOfSquares, OptionalInt exponent) {
    /** Elements of a whole segment. */
    public static final int ELEMENTS = 65_536;
}
