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
        FloatVector s0 = Lanes.zero();
        FloatVector t0 = Lanes.zero();
        FloatVector s1 = Lanes.zero();
        FloatVector t1 = Lanes.zero();
        FloatVector s2 = Lanes.zero();
        FloatVector t2 = Lanes.zero();
        FloatVector s3 = Lanes.zero();
        FloatVector t3 = Lanes.zero();
        FloatVector s4 = Lanes.zero();
        FloatVector t4 = Lanes.zero();
        FloatVector s5 = Lanes.zero();
        FloatVector t5 = Lanes.zero();
        FloatVector s6 = Lanes.zero();
        FloatVector t6 = Lanes.zero();
        FloatVector s7 = Lanes.zero();
        FloatVector t7 = Lanes.zero();
        FloatVector s8 = Lanes.zero();
        FloatVector t8 = Lanes.zero();
        FloatVector s9 = Lanes.zero();
        FloatVector t9 = Lanes.zero();
        FloatVector s10 = Lanes.zero();
        FloatVector t10 = Lanes.zero();
        FloatVector s11 = Lanes.zero();
        FloatVector t11 = Lanes.zero();
        if (resume) {
            s0 = Lanes.load(tile, 0 * w);
            t0 = Lanes.load(tile, 1 * w);
            s1 = Lanes.load(tile, 2 * w);
            t1 = Lanes.load(tile, 3 * w);
            s2 = Lanes.load(tile, 4 * w);
            t2 = Lanes.load(tile, 5 * w);
            s3 = Lanes.load(tile, 6 * w);
            t3 = Lanes.load(tile, 7 * w);
            s4 = Lanes.load(tile, 8 * w);
            t4 = Lanes.load(tile, 9 * w);
            s5 = Lanes.load(tile, 10 * w);
            t5 = Lanes.load(tile, 11 * w);
            s6 = Lanes.load(tile, 12 * w);
            t6 = Lanes.load(tile, 13 * w);
            s7 = Lanes.load(tile, 14 * w);
            t7 = Lanes.load(tile, 15 * w);
            s8 = Lanes.load(tile, 16 * w);
            t8 = Lanes.load(tile, 17 * w);
            s9 = Lanes.load(tile, 18 * w);
            t9 = Lanes.load(tile, 19 * w);
            s10 = Lanes.load(tile, 20 * w);
            t10 = Lanes.load(tile, 21 * w);
            s11 = Lanes.load(tile, 22 * w);
            t11 = Lanes.load(tile, 23 * w);
        }
        for (int k = 0; k < count; k++) {
            FloatVector x = Lanes.load(b, b0 + k * 2 * w);
            FloatVector y = Lanes.load(b, b0 + k * 2 * w + w);
            FloatVector v = Lanes.all(a[a0 + k + 0 * Packing.ROW_STRIDE]);
            s0 = v.fma(x, s0);
            t0 = v.fma(y, t0);
            v = Lanes.all(a[a0 + k + 1 * Packing.ROW_STRIDE]);
            s1 = v.fma(x, s1);
            t1 = v.fma(y, t1);
            v = Lanes.all(a[a0 + k + 2 * Packing.ROW_STRIDE]);
            s2 = v.fma(x, s2);
            t2 = v.fma(y, t2);
            v = Lanes.all(a[a0 + k + 3 * Packing.ROW_STRIDE]);
            s3 = v.fma(x, s3);
            t3 = v.fma(y, t3);
            v = Lanes.all(a[a0 + k + 4 * Packing.ROW_STRIDE]);
            s4 = v.fma(x, s4);
            t4 = v.fma(y, t4);
            v = Lanes.all(a[a0 + k + 5 * Packing.ROW_STRIDE]);
            s5 = v.fma(x, s5);
            t5 = v.fma(y, t5);
            v = Lanes.all(a[a0 + k + 6 * Packing.ROW_STRIDE]);
            s6 = v.fma(x, s6);
            t6 = v.fma(y, t6);
            v = Lanes.all(a[a0 + k + 7 * Packing.ROW_STRIDE]);
            s7 = v.fma(x, s7);
            t7 = v.fma(y, t7);
            v = Lanes.all(a[a0 + k + 8 * Packing.ROW_STRIDE]);
            s8 = v.fma(x, s8);
            t8 = v.fma(y, t8);
            v = Lanes.all(a[a0 + k + 9 * Packing.ROW_STRIDE]);
            s9 = v.fma(x, s9);
            t9 = v.fma(y, t9);
            v = Lanes.all(a[a0 + k + 10 * Packing.ROW_STRIDE]);
            s10 = v.fma(x, s10);
            t10 = v.fma(y, t10);
            v = Lanes.all(a[a0 + k + 11 * Packing.ROW_STRIDE]);
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
        FloatVector s0 = Lanes.zero();
        FloatVector t0 = Lanes.zero();
        FloatVector s1 = Lanes.zero();
        FloatVector t1 = Lanes.zero();
        FloatVector s2 = Lanes.zero();
        FloatVector t2 = Lanes.zero();
        FloatVector s3 = Lanes.zero();
        FloatVector t3 = Lanes.zero();
        FloatVector s4 = Lanes.zero();
        FloatVector t4 = Lanes.zero();
        FloatVector s5 = Lanes.zero();
        FloatVector t5 = Lanes.zero();
        FloatVector s6 = Lanes.zero();
        FloatVector t6 = Lanes.zero();
        FloatVector s7 = Lanes.zero();
        FloatVector t7 = Lanes.zero();
        FloatVector s8 = Lanes.zero();
        FloatVector t8 = Lanes.zero();
        FloatVector s9 = Lanes.zero();
        FloatVector t9 = Lanes.zero();
        FloatVector s10 = Lanes.zero();
        FloatVector t10 = Lanes.zero();
        FloatVector s11 = Lanes.zero();
        FloatVector t11 = Lanes.zero();
        if (resume) {
            s0 = Lanes.load(tile, 0 * w);
            t0 = Lanes.load(tile, 1 * w);
            s1 = Lanes.load(tile, 2 * w);
            t1 = Lanes.load(tile, 3 * w);
            s2 = Lanes.load(tile, 4 * w);
            t2 = Lanes.load(tile, 5 * w);
            s3 = Lanes.load(tile, 6 * w);
            t3 = Lanes.load(tile, 7 * w);
            s4 = Lanes.load(tile, 8 * w);
            t4 = Lanes.load(tile, 9 * w);
            s5 = Lanes.load(tile, 10 * w);
            t5 = Lanes.load(tile, 11 * w);
            s6 = Lanes.load(tile, 12 * w);
            t6 = Lanes.load(tile, 13 * w);
            s7 = Lanes.load(tile, 14 * w);
            t7 = Lanes.load(tile, 15 * w);
            s8 = Lanes.load(tile, 16 * w);
            t8 = Lanes.load(tile, 17 * w);
            s9 = Lanes.load(tile, 18 * w);
            t9 = Lanes.load(tile, 19 * w);
            s10 = Lanes.load(tile, 20 * w);
            t10 = Lanes.load(tile, 21 * w);
            s11 = Lanes.load(tile, 22 * w);
            t11 = Lanes.load(tile, 23 * w);
        }
        for (int k = 0; k < count; k++) {
            FloatVector x = Lanes.load(b, b0 + k * 2 * w);
            FloatVector y = Lanes.load(b, b0 + k * 2 * w + w);
            FloatVector v = Lanes.all(a[a0 + k * ROWS + 0]);
            s0 = v.fma(x, s0);
            t0 = v.fma(y, t0);
            v = Lanes.all(a[a0 + k * ROWS + 1]);
            s1 = v.fma(x, s1);
            t1 = v.fma(y, t1);
            v = Lanes.all(a[a0 + k * ROWS + 2]);
            s2 = v.fma(x, s2);
            t2 = v.fma(y, t2);
            v = Lanes.all(a[a0 + k * ROWS + 3]);
            s3 = v.fma(x, s3);
            t3 = v.fma(y, t3);
            v = Lanes.all(a[a0 + k * ROWS + 4]);
            s4 = v.fma(x, s4);
            t4 = v.fma(y, t4);
            v = Lanes.all(a[a0 + k * ROWS + 5]);
            s5 = v.fma(x, s5);
            t5 = v.fma(y, t5);
            v = Lanes.all(a[a0 + k * ROWS + 6]);
            s6 = v.fma(x, s6);
            t6 = v.fma(y, t6);
            v = Lanes.all(a[a0 + k * ROWS + 7]);
            s7 = v.fma(x, s7);
            t7 = v.fma(y, t7);
            v = Lanes.all(a[a0 + k * ROWS + 8]);
            s8 = v.fma(x, s8);
            t8 = v.fma(y, t8);
            v = Lanes.all(a[a0 + k * ROWS + 9]);
            s9 = v.fma(x, s9);
            t9 = v.fma(y, t9);
            v = Lanes.all(a[a0 + k * ROWS + 10]);
            s10 = v.fma(x, s10);
            t10 = v.fma(y, t10);
            v = Lanes.all(a[a0 + k * ROWS + 11]);
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
