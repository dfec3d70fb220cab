package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/**
 * Register tile of 12 rows × 2 vectors: 24 independent chains fill the two multiply-add pipes of a machine with 32
 * registers. Each lane is one output: {@code s = fma(a_k, b_k, s)}, k ascending; the raw chains go to {@code tile},
 * [12, 2·WIDTH], and come from there when {@code resume}. Written out because a loop over rows would not stay in
 * registers.
 */
final class Tile12 {
    static final int ROWS = 12;

    private Tile12() {}

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
        FloatVector s4 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t4 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s5 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t5 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s6 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t6 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s7 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t7 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s8 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t8 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s9 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t9 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s10 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t10 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s11 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t11 = FloatVector.zero(Lanes.FLOATS);
        if (resume) {
            s0 = FloatVector.fromArray(Lanes.FLOATS, tile, 0 * w);
            t0 = FloatVector.fromArray(Lanes.FLOATS, tile, 1 * w);
            s1 = FloatVector.fromArray(Lanes.FLOATS, tile, 2 * w);
            t1 = FloatVector.fromArray(Lanes.FLOATS, tile, 3 * w);
            s2 = FloatVector.fromArray(Lanes.FLOATS, tile, 4 * w);
            t2 = FloatVector.fromArray(Lanes.FLOATS, tile, 5 * w);
            s3 = FloatVector.fromArray(Lanes.FLOATS, tile, 6 * w);
            t3 = FloatVector.fromArray(Lanes.FLOATS, tile, 7 * w);
            s4 = FloatVector.fromArray(Lanes.FLOATS, tile, 8 * w);
            t4 = FloatVector.fromArray(Lanes.FLOATS, tile, 9 * w);
            s5 = FloatVector.fromArray(Lanes.FLOATS, tile, 10 * w);
            t5 = FloatVector.fromArray(Lanes.FLOATS, tile, 11 * w);
            s6 = FloatVector.fromArray(Lanes.FLOATS, tile, 12 * w);
            t6 = FloatVector.fromArray(Lanes.FLOATS, tile, 13 * w);
            s7 = FloatVector.fromArray(Lanes.FLOATS, tile, 14 * w);
            t7 = FloatVector.fromArray(Lanes.FLOATS, tile, 15 * w);
            s8 = FloatVector.fromArray(Lanes.FLOATS, tile, 16 * w);
            t8 = FloatVector.fromArray(Lanes.FLOATS, tile, 17 * w);
            s9 = FloatVector.fromArray(Lanes.FLOATS, tile, 18 * w);
            t9 = FloatVector.fromArray(Lanes.FLOATS, tile, 19 * w);
            s10 = FloatVector.fromArray(Lanes.FLOATS, tile, 20 * w);
            t10 = FloatVector.fromArray(Lanes.FLOATS, tile, 21 * w);
            s11 = FloatVector.fromArray(Lanes.FLOATS, tile, 22 * w);
            t11 = FloatVector.fromArray(Lanes.FLOATS, tile, 23 * w);
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
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 4 * Packing.ROW_STRIDE]);
            s4 = v.fma(x, s4);
            t4 = v.fma(y, t4);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 5 * Packing.ROW_STRIDE]);
            s5 = v.fma(x, s5);
            t5 = v.fma(y, t5);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 6 * Packing.ROW_STRIDE]);
            s6 = v.fma(x, s6);
            t6 = v.fma(y, t6);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 7 * Packing.ROW_STRIDE]);
            s7 = v.fma(x, s7);
            t7 = v.fma(y, t7);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 8 * Packing.ROW_STRIDE]);
            s8 = v.fma(x, s8);
            t8 = v.fma(y, t8);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 9 * Packing.ROW_STRIDE]);
            s9 = v.fma(x, s9);
            t9 = v.fma(y, t9);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 10 * Packing.ROW_STRIDE]);
            s10 = v.fma(x, s10);
            t10 = v.fma(y, t10);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k + 11 * Packing.ROW_STRIDE]);
            s11 = v.fma(x, s11);
            t11 = v.fma(y, t11);
        }
        s0.intoArray(tile, 0 * w);
        t0.intoArray(tile, 1 * w);
        s1.intoArray(tile, 2 * w);
        t1.intoArray(tile, 3 * w);
        s2.intoArray(tile, 4 * w);
        t2.intoArray(tile, 5 * w);
        s3.intoArray(tile, 6 * w);
        t3.intoArray(tile, 7 * w);
        s4.intoArray(tile, 8 * w);
        t4.intoArray(tile, 9 * w);
        s5.intoArray(tile, 10 * w);
        t5.intoArray(tile, 11 * w);
        s6.intoArray(tile, 12 * w);
        t6.intoArray(tile, 13 * w);
        s7.intoArray(tile, 14 * w);
        t7.intoArray(tile, 15 * w);
        s8.intoArray(tile, 16 * w);
        t8.intoArray(tile, 17 * w);
        s9.intoArray(tile, 18 * w);
        t9.intoArray(tile, 19 * w);
        s10.intoArray(tile, 20 * w);
        t10.intoArray(tile, 21 * w);
        s11.intoArray(tile, 22 * w);
        t11.intoArray(tile, 23 * w);
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
        FloatVector s4 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t4 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s5 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t5 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s6 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t6 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s7 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t7 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s8 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t8 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s9 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t9 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s10 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t10 = FloatVector.zero(Lanes.FLOATS);
        FloatVector s11 = FloatVector.zero(Lanes.FLOATS);
        FloatVector t11 = FloatVector.zero(Lanes.FLOATS);
        if (resume) {
            s0 = FloatVector.fromArray(Lanes.FLOATS, tile, 0 * w);
            t0 = FloatVector.fromArray(Lanes.FLOATS, tile, 1 * w);
            s1 = FloatVector.fromArray(Lanes.FLOATS, tile, 2 * w);
            t1 = FloatVector.fromArray(Lanes.FLOATS, tile, 3 * w);
            s2 = FloatVector.fromArray(Lanes.FLOATS, tile, 4 * w);
            t2 = FloatVector.fromArray(Lanes.FLOATS, tile, 5 * w);
            s3 = FloatVector.fromArray(Lanes.FLOATS, tile, 6 * w);
            t3 = FloatVector.fromArray(Lanes.FLOATS, tile, 7 * w);
            s4 = FloatVector.fromArray(Lanes.FLOATS, tile, 8 * w);
            t4 = FloatVector.fromArray(Lanes.FLOATS, tile, 9 * w);
            s5 = FloatVector.fromArray(Lanes.FLOATS, tile, 10 * w);
            t5 = FloatVector.fromArray(Lanes.FLOATS, tile, 11 * w);
            s6 = FloatVector.fromArray(Lanes.FLOATS, tile, 12 * w);
            t6 = FloatVector.fromArray(Lanes.FLOATS, tile, 13 * w);
            s7 = FloatVector.fromArray(Lanes.FLOATS, tile, 14 * w);
            t7 = FloatVector.fromArray(Lanes.FLOATS, tile, 15 * w);
            s8 = FloatVector.fromArray(Lanes.FLOATS, tile, 16 * w);
            t8 = FloatVector.fromArray(Lanes.FLOATS, tile, 17 * w);
            s9 = FloatVector.fromArray(Lanes.FLOATS, tile, 18 * w);
            t9 = FloatVector.fromArray(Lanes.FLOATS, tile, 19 * w);
            s10 = FloatVector.fromArray(Lanes.FLOATS, tile, 20 * w);
            t10 = FloatVector.fromArray(Lanes.FLOATS, tile, 21 * w);
            s11 = FloatVector.fromArray(Lanes.FLOATS, tile, 22 * w);
            t11 = FloatVector.fromArray(Lanes.FLOATS, tile, 23 * w);
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
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 4]);
            s4 = v.fma(x, s4);
            t4 = v.fma(y, t4);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 5]);
            s5 = v.fma(x, s5);
            t5 = v.fma(y, t5);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 6]);
            s6 = v.fma(x, s6);
            t6 = v.fma(y, t6);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 7]);
            s7 = v.fma(x, s7);
            t7 = v.fma(y, t7);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 8]);
            s8 = v.fma(x, s8);
            t8 = v.fma(y, t8);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 9]);
            s9 = v.fma(x, s9);
            t9 = v.fma(y, t9);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 10]);
            s10 = v.fma(x, s10);
            t10 = v.fma(y, t10);
            v = FloatVector.broadcast(Lanes.FLOATS, a[a0 + k * ROWS + 11]);
            s11 = v.fma(x, s11);
            t11 = v.fma(y, t11);
        }
        s0.intoArray(tile, 0 * w);
        t0.intoArray(tile, 1 * w);
        s1.intoArray(tile, 2 * w);
        t1.intoArray(tile, 3 * w);
        s2.intoArray(tile, 4 * w);
        t2.intoArray(tile, 5 * w);
        s3.intoArray(tile, 6 * w);
        t3.intoArray(tile, 7 * w);
        s4.intoArray(tile, 8 * w);
        t4.intoArray(tile, 9 * w);
        s5.intoArray(tile, 10 * w);
        t5.intoArray(tile, 11 * w);
        s6.intoArray(tile, 12 * w);
        t6.intoArray(tile, 13 * w);
        s7.intoArray(tile, 14 * w);
        t7.intoArray(tile, 15 * w);
        s8.intoArray(tile, 16 * w);
        t8.intoArray(tile, 17 * w);
        s9.intoArray(tile, 18 * w);
        t9.intoArray(tile, 19 * w);
        s10.intoArray(tile, 20 * w);
        t10.intoArray(tile, 21 * w);
        s11.intoArray(tile, 22 * w);
        t11.intoArray(tile, 23 * w);
    }
}
