package org.bitwitness.kernels.vector;

/** Turns rows into columns while packing. */
final class Transpose {
    private Transpose() {}

    /** {@code to[base + k·step + r] = source(r, k)} for {@code rows} rows of {@code depth} consecutive values. */
    static void into(Matrix source, int rows, int depth, float[] to, int base, int step) {
        float[] from = source.data();
        for (int r = 0; r < rows; r++) {
            int at = source.offset() + r * source.rowStride();
            for (int k = 0; k < depth; k++) {
                to[base + k * step + r] = from[at + k];
            }
        }
    }
}
