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
            int j = 0;
            for (; j <= width - Lanes.WIDTH; j += Lanes.WIDTH) {
                Lanes.load(out, at + j).add(Lanes.load(positions, position + j)).intoArray(out, at + j);
            }
            for (; j < width; j++) {
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
            for (int j = 0; j < width; j += Lanes.WIDTH) {
                int count = Math.min(Lanes.WIDTH, width - j);
                FloatVector total = column(groups.order, first, end, d, width, j, count);
                FloatVector value = add ? Lanes.load(table, at + j, count).add(total) : total;
                Lanes.store(value, table, at + j, count);
            }
        }
    }

    private static FloatVector column(int[] order, int first, int end, float[] d, int width, int j, int count) {
        FloatVector total = Lanes.zero();
        int i = first;
        while (i < end) {
            int chunk = order[i] / Packing.CHUNK;
            FloatVector s = Lanes.zero();
            for (; i < end && order[i] / Packing.CHUNK == chunk; i++) {
                s = s.add(Lanes.load(d, order[i] * width + j, count));
            }
            total = total.add(s);
        }
        return total;
    }
}
