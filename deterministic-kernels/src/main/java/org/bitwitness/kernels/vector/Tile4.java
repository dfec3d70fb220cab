package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/**
 * Register tile of 4 rows × 2 vectors for machines with 16 vector registers. Each lane is one output:
 * {@code s = fma(a_k, b_k, s)}, k ascending; the raw chains go to {@code tile}, [4, 2·WIDTH], and come from there when
 * {@code resume}.
 *
 * <p>The compiler loads the broadcasts of all rows ahead, so chains, vectors and rows together must fit the registers:
 * with 6 × 2 two chains lived in memory, and every step waited for a store.
 */
final class Tile4 {
    static final int ROWS = 4;

    private Tile4() {}

    /** Left operand row after row, {@link Packing#ROW_STRIDE} apart; right operand k after k. */
    static void byRow(int count, float[] a, int a0, float[] b, int b0, float[] tile, boolean resume) {
        int w = Lanes.WIDTH;
        FloatVector s0 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t0 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s1 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t1 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s2 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t2 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s3 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t3 = FloatVector.zero(Lanes.FLOATS);
        if (resume) {
            s0 = FloatVector.fromArray(Lanes.FLOATS, tile, 0 * w);
            t0 = FloatVector.fromArray(Lanes.FLOATS, tile, 1 * w);
            s1 = FloatVector.fromArray(Lanes.FLOATS, tile, 2 * w);
            t1 = FloatVector.fromArray(Lanes.FLOATS, tile, 3 * w);
            s2 = FloatVector.fromArray(Lanes.FLOATS, tile, 4 * w);
            t2 = FloatVector.fromArray(Lanes.FLOATS, tile, 5 * w);
            s3 = FloatVector.fromArray(Lanes.FLOATS, tile, 6 * w);
            t3 = FloatVector.fromArray(Lanes.FLOATS, tile, 7 * w);
        }
        for (int k = 0; k < count; k++) {
            FloatVector x = FloatVector.fromArray(Lanes.FLOATS, b, b0 + k * 2 * w);
            FloatVector y = FloatVector.fromArray(Lanes.FLOATS, b, b0 + k * 2 * w + w);
            FloatVector v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 0 * Packing.ROW_STRIDE]);
            s0 = v.fma(x, s0);
            t0 = v.fma(y, t0);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 1 * Packing.ROW_STRIDE]);
            s1 = v.fma(x, s1);
            t1 = v.fma(y, t1);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 2 * Packing.ROW_STRIDE]);
            s2 = v.fma(x, s2);
            t2 = v.fma(y, t2);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 3 * Packing.ROW_STRIDE]);
            s3 = v.fma(x, s3);
            t3 = v.fma(y, t3);
        }
        s0.intoArray(tile, 0 * w);
        t0.intoArray(tile, 1 * w);
        s1.intoArray(tile, 2 * w);
        t1.intoArray(tile, 3 * w);
        s2.intoArray(tile, 4 * w);
        t2.intoArray(tile, 5 * w);
        s3.intoArray(tile, 6 * w);
        t3.intoArray(tile, 7 * w);
    }

    /** Left operand k after k, {@link #ROWS} values each; right operand k after k. */
    static void byK(int count, float[] a, int a0, float[] b, int b0, float[] tile, boolean resume) {
        int w = Lanes.WIDTH;
        FloatVector s0 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t0 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s1 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t1 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s2 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t2 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s3 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t3 = FloatVector.zero(Lanes.FLOATS);
        if (resume) {
            s0 = FloatVector.fromArray(Lanes.FLOATS, tile, 0 * w);
            t0 = FloatVector.fromArray(Lanes.FLOATS, tile, 1 * w);
            s1 = FloatVector.fromArray(Lanes.FLOATS, tile, 2 * w);
            t1 = FloatVector.fromArray(Lanes.FLOATS, tile, 3 * w);
            s2 = FloatVector.fromArray(Lanes.FLOATS, tile, 4 * w);
            t2 = FloatVector.fromArray(Lanes.FLOATS, tile, 5 * w);
            s3 = FloatVector.fromArray(Lanes.FLOATS, tile, 6 * w);
            t3 = FloatVector.fromArray(Lanes.FLOATS, tile, 7 * w);
        }
        for (int k = 0; k < count; k++) {
            FloatVector x = FloatVector.fromArray(Lanes.FLOATS, b, b0 + k * 2 * w);
            FloatVector y = FloatVector.fromArray(Lanes.FLOATS, b, b0 + k * 2 * w + w);
            FloatVector v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 0]);
            s0 = v.fma(x, s0);
            t0 = v.fma(y, t0);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 1]);
            s1 = v.fma(x, s1);
            t1 = v.fma(y, t1);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 2]);
            s2 = v.fma(x, s2);
            t2 = v.fma(y, t2);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 3]);
            s3 = v.fma(x, s3);
            t3 = v.fma(y, t3);
        }
        s0.intoArray(tile, 0 * w);
        t0.intoArray(tile, 1 * w);
        s1.intoArray(tile, 2 * w);
        t1.intoArray(tile, 3 * w);
        s2.intoArray(tile, 4 * w);
        t2.intoArray(tile, 5 * w);
        s3.intoArray(tile, 6 * w);
        t3.intoArray(tile, 7 * w);
    }
}
