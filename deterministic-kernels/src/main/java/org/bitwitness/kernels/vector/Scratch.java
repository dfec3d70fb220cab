package org.bitwitness.kernels.vector;

/**
 * Memory reused from operator to operator: it grows to the largest need and is never handed out twice at once. Contents
 * are left over from earlier uses.
 */
final class Scratch {
    /**
     * Floats between what two threads write: two cache lines, which processors may fetch together. Threads that write the
     * same line wait for each other.
     */
    static final int CACHE_GAP = 32;

    private static final int SLOTS = 16;
    private static final int BLOCKS = 6;

    private final Local[] locals;
    private float[] left = {};
    private float[] right = {};
    private float[] zeros = {};

    Scratch(int threads) {
        locals = new Local[threads];
        for (int i = 0; i < threads; i++) {
            locals[i] = new Local();
        }
    }

    /** Packed left operand shared by the team. */
    float[] left(int size) {
        left = grown(left, size);
        return left;
    }

    /** Packed right operand shared by the team. */
    float[] right(int size) {
        right = grown(right, size);
        return right;
    }

    /** At least {@code size} numbers +0, which nobody may write. */
    float[] zeros(int size) {
        zeros = grown(zeros, size);
        return zeros;
    }

    Local of(int worker) {
        return locals[worker];
    }

    private static float[] grown(float[] present, int size) {
        return present.length >= size ? present : new float[size];
    }

    /**
     * What one thread needs for itself. A field is written only when it changes: the collector notes every write of a
     * reference in a table where neighbours share lines, which would make threads wait for each other.
     */
    static final class Local {
        private final float[] tile = new float[Packing.TILE_ROWS * Packing.TILE_COLUMNS];
        private final float[] total = new float[Packing.TILE_ROWS * Packing.TILE_COLUMNS];
        private final float[][] rows = new float[SLOTS][0];
        private float[] left = {};
        private float[] right = {};
        private int[] words = {};
        private final float[][] blocks = new float[BLOCKS][VectorMath.BLOCK];
        private final Rows rowSums = new Rows();

        /** Raw chains of one register tile. */
        float[] tile() {
            return tile;
        }

        /** Sum over chunks of one register tile. */
        float[] total() {
            return total;
        }

        float[] left(int size) {
            if (left.length < size) {
                left = new float[size];
            }
            return left;
        }

        float[] right(int size) {
            if (right.length < size) {
                right = new float[size];
            }
            return right;
        }

        /** One of six work arrays of {@link VectorMath#BLOCK} elements. */
        float[] block(int slot) {
            return blocks[slot];
        }

        Rows rows() {
            return rowSums;
        }

        /** Random words. */
        int[] words(int size) {
            if (words.length < size) {
                words = new int[size];
            }
            return words;
        }

        /** One of the general buffers, {@code slot} 0 … 15. */
        float[] buffer(int slot, int size) {
            if (rows[slot].length < size) {
                rows[slot] = new float[Math.addExact(size, CACHE_GAP)];
            }
            return rows[slot];
        }
    }
}
