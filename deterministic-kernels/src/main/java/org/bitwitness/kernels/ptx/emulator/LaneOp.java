package org.bitwitness.kernels.ptx.emulator;

/**
 * An operation whose lanes do not see each other and that cannot fail: it is computed for all 32 lanes, and what the lanes
 * outside of the mask held is put back. One loop per operation, without a branch, is what the JIT compiles best.
 */
abstract class LaneOp extends Op {
    /** First element of the destination's column. */
    final int d;

    private final boolean wide;

    /** @param wide whether the destination is a 64-bit column */
    LaneOp(int line, int d, boolean wide) {
        super(line);
        this.d = d;
        this.wide = wide;
    }

    abstract void compute(int[] r, long[] q);

    @Override
    final void run(Warp w, int mask) {
        if (mask == w.existing) {
            compute(w.r, w.q);
        } else if (wide) {
            System.arraycopy(w.q, d, w.savedLongs, 0, Warp.LANES);
            compute(w.r, w.q);
            for (int rest = ~mask; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                w.q[d + l] = w.savedLongs[l];
            }
        } else {
            System.arraycopy(w.r, d, w.savedInts, 0, Warp.LANES);
            compute(w.r, w.q);
            for (int rest = ~mask; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                w.r[d + l] = w.savedInts[l];
            }
        }
    }
}
