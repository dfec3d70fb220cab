package org.bitwitness.kernels.ptx.emulator;

/** 32-bit results of a 64-bit operand. */
final class NarrowOp extends LaneOp {
    /** What it computes. */
    enum Kind {
        LOW,
        HIGH,
        POPC,
        CLZ,
        BFIND_U,
        BFIND_S
    }

    private final Kind kind;
    private final int a;

    NarrowOp(int line, Kind kind, int d, int a) {
        super(line, d, false);
        this.kind = kind;
        this.a = a;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case LOW -> lowLanes(r, q);
            case HIGH -> highLanes(r, q);
            case POPC -> popcLanes(r, q);
            case CLZ -> clzLanes(r, q);
            case BFIND_U -> bfindULanes(r, q);
            case BFIND_S -> bfindSLanes(r, q);
        }
    }

    private void lowLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) q[a + l];
        }
    }

    private void highLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (q[a + l] >>> 32);
        }
    }

    private void popcLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Long.bitCount(q[a + l]);
        }
    }

    private void clzLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Long.numberOfLeadingZeros(q[a + l]);
        }
    }

    private void bfindULanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = 63 - Long.numberOfLeadingZeros(q[a + l]);
        }
    }

    private void bfindSLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = 63 - Long.numberOfLeadingZeros(q[a + l] ^ (q[a + l] >> 63));
        }
    }
}
