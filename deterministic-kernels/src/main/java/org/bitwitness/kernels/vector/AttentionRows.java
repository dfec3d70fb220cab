package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * The work between the products of attention, one query row at a time: {@code count} scores at {@code at} of a block
 * whose rows are a whole number of registers apart, so that whole registers never reach the next row. What they compute
 * right of the count is overwritten.
 */
final class AttentionRows {
    private AttentionRows() {}

    /** Turns dot products into scores (times scale) and returns their maximum, as {@link Rows#max} does. */
    static float scaleAndMax(float[] s, int at, int count, float scale, Rows rows) {
        int end = at + Lanes.padded(count);
        for (int j = at; j < end; j += WIDTH) {
            FloatVector.fromArray(FLOATS, s, j).mul(scale).intoArray(s, j);
        }
        return rows.max(s, at, count);
    }

    /**
     * Turns scores into e = exp(s − max), +0 right of them up to {@code width}, and returns SUM128 of them. A lane that
     * starts at +0 stays as it is when +0 is added, so whole registers may be summed.
     */
    static float exponentials(float[] s, int at, int count, int width, float max, Rows rows) {
        VectorMath.exp(s, at, s, at, Lanes.padded(count), max);
        clear(s, at + count, at + Lanes.padded(width));
        return rows.sum(s, at, Lanes.padded(count));
    }

    static void clear(float[] s, int from, int to) {
        Arrays.fill(s, from, to, 0f);
    }

    /** Dot products become P = exp(s·scale − max)·rz. */
    static void probabilities(float[] s, int at, int count, float scale, float max, float rz) {
        int padded = Lanes.padded(count);
        for (int j = at; j < at + padded; j += WIDTH) {
            FloatVector.fromArray(FLOATS, s, j).mul(scale).intoArray(s, j);
        }
        VectorMath.exp(s, at, s, at, padded, max);
        for (int j = at; j < at + padded; j += WIDTH) {
            FloatVector.fromArray(FLOATS, s, j).mul(rz).intoArray(s, j);
        }
    }

    /** dS = (P·(dP − row))·scale, into dP. */
    static void scoreGradients(float[] p, float[] dp, int at, int count, float row, float scale) {
        for (int j = at; j < at + Lanes.padded(count); j += WIDTH) {
            FloatVector d = FloatVector.fromArray(FLOATS, dp, j).sub(row);
            FloatVector.fromArray(FLOATS, p, j).mul(d).mul(scale).intoArray(dp, j);
        }
    }
}
