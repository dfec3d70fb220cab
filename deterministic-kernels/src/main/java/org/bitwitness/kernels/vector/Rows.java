package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/**
 * Sums and maxima of one row, in the order of the profile (P2, P4): 128 logical lanes, lane {@code i mod 128} ascending
 * from +0, then the halving tree, then {@code +0 +}. A row is a span of a {@code float[]}; nothing outside it is read.
 *
 * <p>The first three levels of the tree join lanes 16 apart, so a register of any width holds the lanes of one column
 * of that tree; what is left are the lanes of one 16-lane group.
 */
final class Rows {
    private static final int LOGICAL_LANES = 128;

    private Rows() {}

    /** SUM128 of {@code x[offset, offset + count)}. */
    static float sum(float[] x, int offset, int count) {
        int end = offset + count;
        FloatVector s = sumColumn(x, offset, end);
        if (Lanes.WIDTH == 8) {
            s = s.add(sumColumn(x, offset + 8, end));
        } else if (Lanes.WIDTH == 4) {
            FloatVector lower = s.add(sumColumn(x, offset + 8, end));
            s = lower.add(sumColumn(x, offset + 4, end).add(sumColumn(x, offset + 12, end)));
        }
        return 0f + Lanes.fold(s);
    }

    /** DOT128 of two spans of {@code count} elements, with fused multiply-adds; SUMSQ128 when both are the same. */
    static float dot(float[] x, int xOffset, float[] y, int yOffset, int count) {
        int end = xOffset + count;
        int gap = yOffset - xOffset;
        FloatVector s = dotColumn(x, y, gap, xOffset, end);
        if (Lanes.WIDTH == 8) {
            s = s.add(dotColumn(x, y, gap, xOffset + 8, end));
        } else if (Lanes.WIDTH == 4) {
            FloatVector lower = s.add(dotColumn(x, y, gap, xOffset + 8, end));
            FloatVector upper = dotColumn(x, y, gap, xOffset + 4, end);
            s = lower.add(upper.add(dotColumn(x, y, gap, xOffset + 12, end)));
        }
        return 0f + Lanes.fold(s);
    }

    /** SUMSQ128. */
    static float sumOfSquares(float[] x, int offset, int count) {
        return dot(x, offset, x, offset, count);
    }

    /** The row maximum: NaN passed over, −inf when nothing is left, never −0. */
    static float max(float[] x, int offset, int count) {
        FloatVector m = Lanes.all(Float.NEGATIVE_INFINITY);
        int end = offset + count;
        int i = offset;
        for (; i <= end - Lanes.WIDTH; i += Lanes.WIDTH) {
            m = VectorMath.larger(m, Lanes.load(x, i));
        }
        float largest = Lanes.foldMax(m);
        for (; i < end; i++) {
            largest = x[i] > largest ? x[i] : largest;
        }
        return largest + 0f;
    }

    /** Lanes at {@code start + 16m} for m = 0…7, joined by the levels w = 64, 32, 16. */
    private static FloatVector sumColumn(float[] x, int start, int end) {
        FloatVector even = sumLane(x, start, end).add(sumLane(x, start + 64, end));
        even = even.add(sumLane(x, start + 32, end).add(sumLane(x, start + 96, end)));
        FloatVector odd = sumLane(x, start + 16, end).add(sumLane(x, start + 80, end));
        odd = odd.add(sumLane(x, start + 48, end).add(sumLane(x, start + 112, end)));
        return even.add(odd);
    }

    private static FloatVector sumLane(float[] x, int start, int end) {
        FloatVector s = Lanes.zero();
        int i = start;
        for (; i <= end - Lanes.WIDTH; i += LOGICAL_LANES) {
            s = s.add(Lanes.load(x, i));
        }
        return i < end ? s.add(Lanes.load(x, i, end - i)) : s;
    }

    private static FloatVector dotColumn(float[] x, float[] y, int gap, int start, int end) {
        FloatVector even = dotLane(x, y, gap, start, end).add(dotLane(x, y, gap, start + 64, end));
        even = even.add(dotLane(x, y, gap, start + 32, end).add(dotLane(x, y, gap, start + 96, end)));
        FloatVector odd = dotLane(x, y, gap, start + 16, end).add(dotLane(x, y, gap, start + 80, end));
        odd = odd.add(dotLane(x, y, gap, start + 48, end).add(dotLane(x, y, gap, start + 112, end)));
        return even.add(odd);
    }

    private static FloatVector dotLane(float[] x, float[] y, int gap, int start, int end) {
        FloatVector s = Lanes.zero();
        int i = start;
        for (; i <= end - Lanes.WIDTH; i += LOGICAL_LANES) {
            s = Lanes.load(x, i).fma(Lanes.load(y, i + gap), s);
        }
        return i < end ? Lanes.load(x, i, end - i).fma(Lanes.load(y, i + gap, end - i), s) : s;
    }
}
