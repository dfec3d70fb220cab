package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.load;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * The work between the products of attention, one query row at a time: {@code count} scores at {@code at} of a block
 * whose rows are a whole number of registers apart. Everything right of the count becomes +0 up to {@code width}.
 */
final class AttentionRows {
    private AttentionRows() {}

    /** A row distance in which whole registers never reach the next row. */
    static int stride(int width) {
        return Math.multiplyExact(Packing.panels(width, Lanes.WIDTH), Lanes.WIDTH);
    }

    /** Turns dot products into scores (times scale) and returns their maximum. */
    static float scaleAndMax(float[] s, int at, int count, float scale) {
        int end = at + stride(count);
        Arrays.fill(s, at + count, end, Float.NEGATIVE_INFINITY);
        FloatVector m = all(Float.NEGATIVE_INFINITY);
        for (int j = at; j < end; j += Lanes.WIDTH) {
            FloatVector scaled = load(s, j).mul(scale);
            scaled.intoArray(s, j);
            m = VectorMath.larger(m, scaled);
        }
        return Lanes.foldMax(m) + 0f;
    }

    /** Turns scores into e = exp(s − max) and returns SUM128 of them. */
    static float exponentials(float[] s, int at, int count, int width, float max) {
        int end = at + stride(count);
        for (int j = at; j < end; j += Lanes.WIDTH) {
            VectorMath.exp(load(s, j).sub(max)).intoArray(s, j);
        }
        Arrays.fill(s, at + count, at + stride(width), 0f);
        // A lane that starts at +0 is never −0 before its +0 terms, so the padding changes nothing.
        return Rows.sum(s, at, stride(count));
    }

    /** P' = keep ? (e·rz)·scale : +0. */
    static void drop(float[] e, int at, int count, float rz, Dropout dropout, int[] words, int skip) {
        for (int j = 0; j < count; j += Lanes.WIDTH) {
            dropout.kept(load(e, at + j).mul(rz), words, skip + j).intoArray(e, at + j);
        }
    }

    /** Saved statistics of a row: its maximum, 1/z, and DOT128(dO, O). */
    record Row(float max, float rz, float dot, float scale) {}

    /** Dot products in {@code s} become P, dot products in {@code dp} become dS. */
    static void gradient(float[] s, float[] dp, int at, int count, int width, Row row) {
        int end = at + stride(count);
        for (int j = at; j < end; j += Lanes.WIDTH) {
            FloatVector p =
                    VectorMath.exp(load(s, j).mul(row.scale).sub(row.max)).mul(row.rz);
            p.intoArray(s, j);
            p.mul(load(dp, j).sub(row.dot)).mul(row.scale).intoArray(dp, j);
        }
        Arrays.fill(s, at + count, at + stride(width), 0f);
        Arrays.fill(dp, at + count, at + stride(width), 0f);
    }

    /** As {@link #gradient}; {@code s} becomes P' and dS is taken from the undropped P. */
    static void gradient(
            float[] s, float[] dp, int at, int count, int width, Row row, Dropout dropout, int[] words, int skip) {
        int padded = stride(count);
        for (int j = 0; j < padded; j += Lanes.WIDTH) {
            FloatVector p =
                    VectorMath.exp(load(s, at + j).mul(row.scale).sub(row.max)).mul(row.rz);
            dropout.kept(p, words, skip + j).intoArray(s, at + j);
            FloatVector d = dropout.kept(load(dp, at + j), words, skip + j);
            p.mul(d.sub(row.dot)).mul(row.scale).intoArray(dp, at + j);
        }
        Arrays.fill(s, at + count, at + stride(width), 0f);
        Arrays.fill(dp, at + count, at + stride(width), 0f);
    }
}
