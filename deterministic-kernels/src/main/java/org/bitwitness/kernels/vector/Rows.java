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

    /** Where the columns of one sum begin, and of a second one made with it. */
    private static final int FIRST = Scratch.CACHE_GAP;

    private static final int SECOND = FIRST + COLUMNS;

    /** With a gap at both ends: it is written for every row, and another thread's may lie beside it. */
    private final float[] columns = new float[SECOND + COLUMNS + Scratch.CACHE_GAP];

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
            even.add(odd).intoArray(columns, FIRST + column);
        }
        return fold(FIRST);
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
            even.add(odd).intoArray(columns, FIRST + column);
        }
        return fold(FIRST);
    }

    /** SUMSQ128. */
    float sumOfSquares(float[] x, int offset, int count) {
        return dot(x, offset, x, offset, count);
    }

    /** SUMSQ128 of {@code x − mean}. */
    float centredSquares(float[] x, int offset, int count, float mean) {
        int full = count & -LOGICAL_LANES;
        if (full < count) {
            padCentred(x, offset + full, count - full, mean);
        }
        FloatVector mu = FloatVector.broadcast(FLOATS, mean);
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
                FloatVector d0 = FloatVector.fromArray(FLOATS, x, i).sub(mu);
                s0 = d0.fma(d0, s0);
                FloatVector d1 = FloatVector.fromArray(FLOATS, x, i + 16).sub(mu);
                s1 = d1.fma(d1, s1);
                FloatVector d2 = FloatVector.fromArray(FLOATS, x, i + 32).sub(mu);
                s2 = d2.fma(d2, s2);
                FloatVector d3 = FloatVector.fromArray(FLOATS, x, i + 48).sub(mu);
                s3 = d3.fma(d3, s3);
                FloatVector d4 = FloatVector.fromArray(FLOATS, x, i + 64).sub(mu);
                s4 = d4.fma(d4, s4);
                FloatVector d5 = FloatVector.fromArray(FLOATS, x, i + 80).sub(mu);
                s5 = d5.fma(d5, s5);
                FloatVector d6 = FloatVector.fromArray(FLOATS, x, i + 96).sub(mu);
                s6 = d6.fma(d6, s6);
                FloatVector d7 = FloatVector.fromArray(FLOATS, x, i + 112).sub(mu);
                s7 = d7.fma(d7, s7);
            }
            if (full < count) {
                FloatVector d0 = FloatVector.fromArray(FLOATS, restX, column);
                s0 = d0.fma(d0, s0);
                FloatVector d1 = FloatVector.fromArray(FLOATS, restX, column + 16);
                s1 = d1.fma(d1, s1);
                FloatVector d2 = FloatVector.fromArray(FLOATS, restX, column + 32);
                s2 = d2.fma(d2, s2);
                FloatVector d3 = FloatVector.fromArray(FLOATS, restX, column + 48);
                s3 = d3.fma(d3, s3);
                FloatVector d4 = FloatVector.fromArray(FLOATS, restX, column + 64);
                s4 = d4.fma(d4, s4);
                FloatVector d5 = FloatVector.fromArray(FLOATS, restX, column + 80);
                s5 = d5.fma(d5, s5);
                FloatVector d6 = FloatVector.fromArray(FLOATS, restX, column + 96);
                s6 = d6.fma(d6, s6);
                FloatVector d7 = FloatVector.fromArray(FLOATS, restX, column + 112);
                s7 = d7.fma(d7, s7);
            }
            FloatVector even = s0.add(s4).add(s2.add(s6));
            FloatVector odd = s1.add(s5).add(s3.add(s7));
            even.add(odd).intoArray(columns, FIRST + column);
        }
        return fold(FIRST);
    }

    private void padCentred(float[] x, int offset, int count, float mean) {
        for (int i = 0; i < count; i++) {
            restX[i] = x[offset + i] - mean;
        }
        Arrays.fill(restX, count, LOGICAL_LANES, 0f);
    }

    /**
     * Makes, of a row at {@code at}, {@link #weightedSum} = SUM128 of {@code h = dy·gain} and {@link #weightedDot} = DOT128 of
     * {@code h} and {@code (x − mean)·r}, in one pass.
     */
    void weigh(Norms.GradientRows n, int at, float mean, float r) {
        int count = n.width();
        int full = count & -LOGICAL_LANES;
        if (full < count) {
            padWeighted(n, at, full, mean, r);
        }
        for (int column = 0; column < COLUMNS; column += WIDTH) {
            weighColumn(n, at, full, column, mean, r);
        }
    }

    private void weighColumn(Norms.GradientRows n, int at, int full, int column, float mean, float r) {
        float[] x = n.x();
        float[] dy = n.dy();
        float[] gain = n.gain();
        FloatVector mu = FloatVector.broadcast(FLOATS, mean);
        FloatVector scale = FloatVector.broadcast(FLOATS, r);
        FloatVector s0 = FloatVector.zero(FLOATS);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        FloatVector s4 = s0;
        FloatVector s5 = s0;
        FloatVector s6 = s0;
        FloatVector s7 = s0;
        FloatVector d0 = s0;
        FloatVector d1 = s0;
        FloatVector d2 = s0;
        FloatVector d3 = s0;
        FloatVector d4 = s0;
        FloatVector d5 = s0;
        FloatVector d6 = s0;
        FloatVector d7 = s0;
        for (int i = column; i < full; i += LOGICAL_LANES) {
            int j = at + i;
            FloatVector h0 = FloatVector.fromArray(FLOATS, dy, j).mul(FloatVector.fromArray(FLOATS, gain, i));
            s0 = s0.add(h0);
            d0 = h0.fma(FloatVector.fromArray(FLOATS, x, j).sub(mu).mul(scale), d0);
            FloatVector h1 = FloatVector.fromArray(FLOATS, dy, j + 16).mul(FloatVector.fromArray(FLOATS, gain, i + 16));
            s1 = s1.add(h1);
            d1 = h1.fma(FloatVector.fromArray(FLOATS, x, j + 16).sub(mu).mul(scale), d1);
            FloatVector h2 = FloatVector.fromArray(FLOATS, dy, j + 32).mul(FloatVector.fromArray(FLOATS, gain, i + 32));
            s2 = s2.add(h2);
            d2 = h2.fma(FloatVector.fromArray(FLOATS, x, j + 32).sub(mu).mul(scale), d2);
            FloatVector h3 = FloatVector.fromArray(FLOATS, dy, j + 48).mul(FloatVector.fromArray(FLOATS, gain, i + 48));
            s3 = s3.add(h3);
            d3 = h3.fma(FloatVector.fromArray(FLOATS, x, j + 48).sub(mu).mul(scale), d3);
            FloatVector h4 = FloatVector.fromArray(FLOATS, dy, j + 64).mul(FloatVector.fromArray(FLOATS, gain, i + 64));
            s4 = s4.add(h4);
            d4 = h4.fma(FloatVector.fromArray(FLOATS, x, j + 64).sub(mu).mul(scale), d4);
            FloatVector h5 = FloatVector.fromArray(FLOATS, dy, j + 80).mul(FloatVector.fromArray(FLOATS, gain, i + 80));
            s5 = s5.add(h5);
            d5 = h5.fma(FloatVector.fromArray(FLOATS, x, j + 80).sub(mu).mul(scale), d5);
            FloatVector h6 = FloatVector.fromArray(FLOATS, dy, j + 96).mul(FloatVector.fromArray(FLOATS, gain, i + 96));
            s6 = s6.add(h6);
            d6 = h6.fma(FloatVector.fromArray(FLOATS, x, j + 96).sub(mu).mul(scale), d6);
            FloatVector h7 =
                    FloatVector.fromArray(FLOATS, dy, j + 112).mul(FloatVector.fromArray(FLOATS, gain, i + 112));
            s7 = s7.add(h7);
            d7 = h7.fma(FloatVector.fromArray(FLOATS, x, j + 112).sub(mu).mul(scale), d7);
        }
        if (full < n.width()) {
            FloatVector h0 = FloatVector.fromArray(FLOATS, restX, column);
            s0 = s0.add(h0);
            d0 = h0.fma(FloatVector.fromArray(FLOATS, restY, column), d0);
            FloatVector h1 = FloatVector.fromArray(FLOATS, restX, column + 16);
            s1 = s1.add(h1);
            d1 = h1.fma(FloatVector.fromArray(FLOATS, restY, column + 16), d1);
            FloatVector h2 = FloatVector.fromArray(FLOATS, restX, column + 32);
            s2 = s2.add(h2);
            d2 = h2.fma(FloatVector.fromArray(FLOATS, restY, column + 32), d2);
            FloatVector h3 = FloatVector.fromArray(FLOATS, restX, column + 48);
            s3 = s3.add(h3);
            d3 = h3.fma(FloatVector.fromArray(FLOATS, restY, column + 48), d3);
            FloatVector h4 = FloatVector.fromArray(FLOATS, restX, column + 64);
            s4 = s4.add(h4);
            d4 = h4.fma(FloatVector.fromArray(FLOATS, restY, column + 64), d4);
            FloatVector h5 = FloatVector.fromArray(FLOATS, restX, column + 80);
            s5 = s5.add(h5);
            d5 = h5.fma(FloatVector.fromArray(FLOATS, restY, column + 80), d5);
            FloatVector h6 = FloatVector.fromArray(FLOATS, restX, column + 96);
            s6 = s6.add(h6);
            d6 = h6.fma(FloatVector.fromArray(FLOATS, restY, column + 96), d6);
            FloatVector h7 = FloatVector.fromArray(FLOATS, restX, column + 112);
            s7 = s7.add(h7);
            d7 = h7.fma(FloatVector.fromArray(FLOATS, restY, column + 112), d7);
        }
        FloatVector even = s0.add(s4).add(s2.add(s6));
        FloatVector odd = s1.add(s5).add(s3.add(s7));
        even.add(odd).intoArray(columns, FIRST + column);
        even = d0.add(d4).add(d2.add(d6));
        odd = d1.add(d5).add(d3.add(d7));
        even.add(odd).intoArray(columns, SECOND + column);
    }

    private void padWeighted(Norms.GradientRows n, int at, int from, float mean, float r) {
        int count = n.width() - from;
        for (int i = 0; i < count; i++) {
            restX[i] = n.dy()[at + from + i] * n.gain()[from + i];
            restY[i] = (n.x()[at + from + i] - mean) * r;
        }
        Arrays.fill(restX, count, LOGICAL_LANES, 0f);
        Arrays.fill(restY, count, LOGICAL_LANES, 0f);
    }

    float weightedSum() {
        return fold(FIRST);
    }

    float weightedDot() {
        return fold(SECOND);
    }

    private static void pad(float[] x, int offset, int count, float[] block) {
        System.arraycopy(x, offset, block, 0, count);
        Arrays.fill(block, count, LOGICAL_LANES, 0f);
    }

    /** s_l + s_(l+w) for w = 8, 4, 2, 1, then {@code +0 + s_0}. */
    private float fold(int l) {
        float[] c = columns;
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
        m.intoArray(columns, FIRST);
        float largest = Float.NEGATIVE_INFINITY;
        for (int l = 0; l < WIDTH; l++) {
            float lane = columns[FIRST + l];
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
        m.intoArray(columns, FIRST);
        float largest = 0f;
        for (int l = 0; l < WIDTH; l++) {
            float lane = columns[FIRST + l];
            largest = lane > largest ? lane : largest;
        }
        for (int i = offset + whole; i < offset + count; i++) {
            float a = Math.abs(x[i]);
            largest = a > largest ? a : largest;
        }
        return largest;
    }
}
