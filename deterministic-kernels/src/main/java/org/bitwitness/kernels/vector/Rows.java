package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.VectorOperators.GT;
import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Sums and maxima of one row, in the order of the profile (P2, P4): 128 logical lanes, lane {@code i mod 128} ascending
 * from +0, then the halving tree, then {@code +0 +}. A row is a span of a {@code float[]}; nothing outside it is read.
 *
 * <p>The first three levels of the tree join lanes 16 apart, so a register of any width holds whole columns of that
 * tree; the last four levels run over the 16 numbers that are left. A last block that is not full is padded with +0,
 * which leaves every lane as it is.
 */
final class Rows {
    private static final int LOGICAL_LANES = 128;
    private static final int COLUMNS = 16;

    /** Begins at {@link Scratch#CACHE_GAP}: it is written for every row, and another thread's may lie beside it. */
    private final float[] columns = new float[2 * Scratch.CACHE_GAP + COLUMNS];

    private final float[] restX = new float[LOGICAL_LANES];
    private final float[] restY = new float[LOGICAL_LANES];

    /** SUM128 of {@code x[offset, offset + count)}. */
    float sum(float[] x, int offset, int count) {
        int full = count & -LOGICAL_LANES;
        if (full < count) {
            pad(x, offset + full, count - full, restX);
        }
        for (int column = 0; column < COLUMNS; column += WIDTH) {
            FloatVector s0 = FloatVector.zero(FLOATS);
            FloatVector s1 = s0;
            FloatVector s2 = s0;
            FloatVector s3 = s0;
            FloatVector s4 = s0;
            FloatVector s5 = s0;
            FloatVector s6 = s0;
            FloatVector s7 = s0;
            for (int i = offset + column; i < offset + full; i += LOGICAL_LANES) {
                s0 = s0.add(FloatVector.fromArray(FLOATS, x, i));
                s1 = s1.add(FloatVector.fromArray(FLOATS, x, i + 16));
                s2 = s2.add(FloatVector.fromArray(FLOATS, x, i + 32));
                s3 = s3.add(FloatVector.fromArray(FLOATS, x, i + 48));
                s4 = s4.add(FloatVector.fromArray(FLOATS, x, i + 64));
                s5 = s5.add(FloatVector.fromArray(FLOATS, x, i + 80));
                s6 = s6.add(FloatVector.fromArray(FLOATS, x, i + 96));
                s7 = s7.add(FloatVector.fromArray(FLOATS, x, i + 112));
            }
            if (full < count) {
                s0 = s0.add(FloatVector.fromArray(FLOATS, restX, column));
                s1 = s1.add(FloatVector.fromArray(FLOATS, restX, column + 16));
                s2 = s2.add(FloatVector.fromArray(FLOATS, restX, column + 32));
                s3 = s3.add(FloatVector.fromArray(FLOATS, restX, column + 48));
                s4 = s4.add(FloatVector.fromArray(FLOATS, restX, column + 64));
                s5 = s5.add(FloatVector.fromArray(FLOATS, restX, column + 80));
                s6 = s6.add(FloatVector.fromArray(FLOATS, restX, column + 96));
                s7 = s7.add(FloatVector.fromArray(FLOATS, restX, column + 112));
            }
            FloatVector even = s0.add(s4).add(s2.add(s6));
            FloatVector odd = s1.add(s5).add(s3.add(s7));
            even.add(odd).intoArray(columns, Scratch.CACHE_GAP + column);
        }
        return fold();
    }

    /** DOT128 of two spans of {@code count} elements, with fused multiply-adds; SUMSQ128 when both are the same. */
    float dot(float[] x, int xOffset, float[] y, int yOffset, int count) {
        int full = count & -LOGICAL_LANES;
        if (full < count) {
            pad(x, xOffset + full, count - full, restX);
            pad(y, yOffset + full, count - full, restY);
        }
        for (int column = 0; column < COLUMNS; column += WIDTH) {
            FloatVector s0 = FloatVector.zero(FLOATS);
            FloatVector s1 = s0;
            FloatVector s2 = s0;
            FloatVector s3 = s0;
            FloatVector s4 = s0;
            FloatVector s5 = s0;
            FloatVector s6 = s0;
            FloatVector s7 = s0;
            int gap = yOffset - xOffset;
            for (int i = xOffset + column; i < xOffset + full; i += LOGICAL_LANES) {
                int j = i + gap;
                s0 = FloatVector.fromArray(FLOATS, x, i).fma(FloatVector.fromArray(FLOATS, y, j), s0);
                s1 = FloatVector.fromArray(FLOATS, x, i + 16).fma(FloatVector.fromArray(FLOATS, y, j + 16), s1);
                s2 = FloatVector.fromArray(FLOATS, x, i + 32).fma(FloatVector.fromArray(FLOATS, y, j + 32), s2);
                s3 = FloatVector.fromArray(FLOATS, x, i + 48).fma(FloatVector.fromArray(FLOATS, y, j + 48), s3);
                s4 = FloatVector.fromArray(FLOATS, x, i + 64).fma(FloatVector.fromArray(FLOATS, y, j + 64), s4);
                s5 = FloatVector.fromArray(FLOATS, x, i + 80).fma(FloatVector.fromArray(FLOATS, y, j + 80), s5);
                s6 = FloatVector.fromArray(FLOATS, x, i + 96).fma(FloatVector.fromArray(FLOATS, y, j + 96), s6);
                s7 = FloatVector.fromArray(FLOATS, x, i + 112).fma(FloatVector.fromArray(FLOATS, y, j + 112), s7);
            }
            if (full < count) {
                s0 = FloatVector.fromArray(FLOATS, restX, column).fma(FloatVector.fromArray(FLOATS, restY, column), s0);
                s1 = FloatVector.fromArray(FLOATS, restX, column + 16)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 16), s1);
                s2 = FloatVector.fromArray(FLOATS, restX, column + 32)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 32), s2);
                s3 = FloatVector.fromArray(FLOATS, restX, column + 48)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 48), s3);
                s4 = FloatVector.fromArray(FLOATS, restX, column + 64)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 64), s4);
                s5 = FloatVector.fromArray(FLOATS, restX, column + 80)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 80), s5);
                s6 = FloatVector.fromArray(FLOATS, restX, column + 96)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 96), s6);
                s7 = FloatVector.fromArray(FLOATS, restX, column + 112)
                        .fma(FloatVector.fromArray(FLOATS, restY, column + 112), s7);
            }
            FloatVector even = s0.add(s4).add(s2.add(s6));
            FloatVector odd = s1.add(s5).add(s3.add(s7));
            even.add(odd).intoArray(columns, Scratch.CACHE_GAP + column);
        }
        return fold();
    }

    /** SUMSQ128. */
    float sumOfSquares(float[] x, int offset, int count) {
        return dot(x, offset, x, offset, count);
    }

    private static void pad(float[] x, int offset, int count, float[] block) {
        System.arraycopy(x, offset, block, 0, count);
        Arrays.fill(block, count, LOGICAL_LANES, 0f);
    }

    /** s_l + s_(l+w) for w = 8, 4, 2, 1, then {@code +0 + s_0}. */
    private float fold() {
        float[] c = columns;
        int l = Scratch.CACHE_GAP;
        float even = ((c[l] + c[l + 8]) + (c[l + 4] + c[l + 12])) + ((c[l + 2] + c[l + 10]) + (c[l + 6] + c[l + 14]));
        float odd =
                ((c[l + 1] + c[l + 9]) + (c[l + 5] + c[l + 13])) + ((c[l + 3] + c[l + 11]) + (c[l + 7] + c[l + 15]));
        return 0f + (even + odd);
    }

    /** The row maximum by {@code v > m ? v : m}: NaN passed over, −inf when nothing is left, never −0. */
    float max(float[] x, int offset, int count) {
        FloatVector m = FloatVector.broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        int whole = Lanes.whole(count);
        for (int i = offset; i < offset + whole; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, i);
            m = m.blend(v, v.compare(GT, m));
        }
        m.intoArray(columns, Scratch.CACHE_GAP);
        float largest = Float.NEGATIVE_INFINITY;
        for (int l = 0; l < WIDTH; l++) {
            float lane = columns[Scratch.CACHE_GAP + l];
            largest = lane > largest ? lane : largest;
        }
        for (int i = offset + whole; i < offset + count; i++) {
            largest = x[i] > largest ? x[i] : largest;
        }
        return largest + 0f;
    }

    /** The largest magnitude; only for finite values. */
    float largestMagnitude(float[] x, int offset, int count) {
        FloatVector m = FloatVector.zero(FLOATS);
        int whole = Lanes.whole(count);
        for (int i = offset; i < offset + whole; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, i).abs();
            m = m.blend(v, v.compare(GT, m));
        }
        m.intoArray(columns, Scratch.CACHE_GAP);
        float largest = 0f;
        for (int l = 0; l < WIDTH; l++) {
            float lane = columns[Scratch.CACHE_GAP + l];
            largest = lane > largest ? lane : largest;
        }
        for (int i = offset + whole; i < offset + count; i++) {
            float a = Math.abs(x[i]);
            largest = a > largest ? a : largest;
        }
        return largest;
    }
}
