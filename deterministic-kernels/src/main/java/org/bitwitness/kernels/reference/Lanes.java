package org.bitwitness.kernels.reference;

/**
 * Sums over 128 logical lanes: element i belongs to lane i mod 128 and lanes add ascending from +0; then a fixed tree
 * folds the lanes: s[l] += s[l + w] for w = 64, 32, 16, 8, 4, 2, 1. The result is +0 + s[0], never −0.
 */
final class Lanes {
    private static final int LANES = 128;

    private Lanes() {}

    /** SUM128 of {@code n} elements from {@code at}. */
    static float sum(float[] x, int at, int n) {
        float[] lane = new float[LANES];
        for (int i = 0; i < n; i++) {
            lane[i % LANES] = lane[i % LANES] + x[at + i];
        }
        return fold(lane);
    }

    /** SUMSQ128: fused multiply-adds of x·x. */
    static float sumOfSquares(float[] x, int at, int n) {
        float[] lane = new float[LANES];
        for (int i = 0; i < n; i++) {
            lane[i % LANES] = Math.fma(x[at + i], x[at + i], lane[i % LANES]);
        }
        return fold(lane);
    }

    /** DOT128: fused multiply-adds of a·b. */
    static float dot(float[] a, int aAt, float[] b, int bAt, int n) {
        float[] lane = new float[LANES];
        for (int i = 0; i < n; i++) {
            lane[i % LANES] = Math.fma(a[aAt + i], b[bAt + i], lane[i % LANES]);
        }
        return fold(lane);
    }

    private static float fold(float[] lane) {
        for (int w = LANES / 2; w >= 1; w /= 2) {
            for (int l = 0; l < w; l++) {
                lane[l] = lane[l] + lane[l + w];
            }
        }
        return 0f + lane[0];
    }
}
