package org.bitwitness.kernels.vector;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Embedding rows and their gradient. The gradient of a table row is the DOT over the flat tokens that read it: per chunk
 * of 512 flat indices a chain of additions from +0, ascending, then {@code T = T + S_c}; absent tokens are absent.
 */
final class Embeddings {
    private Embeddings() {}

    /** {@code out[n] = tokens[ids[n]] (+ positions[n mod length])} for rows {@code [from, to)}. */
    static void gather(float[] tokens, int[] ids, float[] out, int width, int from, int to) {
        for (int n = from; n < to; n++) {
            System.arraycopy(tokens, ids[n] * width, out, n * width, width);
        }
    }

    static void addPositions(float[] positions, int length, float[] out, int width, int from, int to) {
        for (int n = from; n < to; n++) {
            int at = n * width;
            int position = n % length * width;
            for (int j = 0; j < width; j++) {
                out[at + j] = out[at + j] + positions[position + j];
            }
        }
    }

    /**
     * Flat token indices grouped by the table row they read, ascending inside a group.
     *
     * @param starts group v is {@code order[starts[v], starts[v + 1])}
     */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record Groups(int[] starts, int[] order) {
        static Groups of(int[] keys, int tokens, int groups) {
            int[] starts = new int[groups + 1];
            for (int n = 0; n < tokens; n++) {
                starts[keys[n] + 1]++;
            }
            for (int g = 0; g < groups; g++) {
                starts[g + 1] += starts[g];
            }
            int[] next = Arrays.copyOf(starts, groups);
            int[] order = new int[tokens];
            for (int n = 0; n < tokens; n++) {
                order[next[keys[n]]++] = n;
            }
            return new Groups(starts, order);
        }
    }

    /** {@code table[row]} = DOT over the group's tokens of {@code d}, or that added to what is there. */
    static void sumRows(Groups groups, float[] d, float[] table, int width, boolean add, int from, int to) {
        for (int row = from; row < to; row++) {
            int first = groups.starts[row];
            int end = groups.starts[row + 1];
            int at = row * width;
            if (first == end && !add) {
                Arrays.fill(table, at, at + width, 0f);
                continue;
            }
            int whole = Lanes.whole(width);
            for (int j = 0; j < whole; j += Lanes.WIDTH) {
                columns(groups, row, d, table, width, add, j);
            }
            for (int j = whole; j < width; j++) {
                column(groups, row, d, table, width, add, j);
            }
        }
    }

    private static void columns(Groups groups, int row, float[] d, float[] table, int width, boolean add, int j) {
        int end = groups.starts[row + 1];
        FloatVector total = FloatVector.zero(Lanes.FLOATS);
        int i = groups.starts[row];
        while (i < end) {
            int chunk = groups.order[i] / Packing.CHUNK;
            FloatVector s = FloatVector.zero(Lanes.FLOATS);
            for (; i < end && groups.order[i] / Packing.CHUNK == chunk; i++) {
                s = s.add(FloatVector.fromArray(Lanes.FLOATS, d, groups.order[i] * width + j));
            }
            total = total.add(s);
        }
        int at = row * width + j;
        FloatVector value = add ? FloatVector.fromArray(Lanes.FLOATS, table, at).add(total) : total;
        value.intoArray(table, at);
    }

    private static void column(Groups groups, int row, float[] d, float[] table, int width, boolean add, int j) {
        int end = groups.starts[row + 1];
        float total = 0f;
        int i = groups.starts[row];
        while (i < end) {
            int chunk = groups.order[i] / Packing.CHUNK;
            float s = 0f;
            for (; i < end && groups.order[i] / Packing.CHUNK == chunk; i++) {
                s = s + d[groups.order[i] * width + j];
            }
            total = total + s;
        }
        int at = row * width + j;
        table[at] = add ? table[at] + total : total;
    }
}
