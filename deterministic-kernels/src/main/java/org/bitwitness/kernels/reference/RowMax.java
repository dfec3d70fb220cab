package org.bitwitness.kernels.reference;

/** Largest element of a row: −inf to start with, a strictly larger one replaces it (NaN never does), then + (+0). */
final class RowMax {
    private RowMax() {}

    static float of(float[] x, int at, int n) {
        float m = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < n; i++) {
            float v = x[at + i];
            m = v > m ? v : m;
        }
        return m + 0f;
    }
}
