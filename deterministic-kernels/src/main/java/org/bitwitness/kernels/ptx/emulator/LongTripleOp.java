package org.bitwitness.kernels.ptx.emulator;

/** 64-bit results of three operands of mixed widths. */
final class LongTripleOp extends LaneOp {
    /** What it computes. */
    enum Kind {
        MAD_LO,
        MAD_HI_S,
        MAD_HI_U,
        MAD_WIDE_S,
        MAD_WIDE_U,
        BFE_U,
        BFE_S
    }

    private final Kind kind;
    private final int a;
    private final int b;
    private final int c;

    LongTripleOp(int line, Kind kind, int d, int a, int b, int c) {
        super(line, d, true);
        this.kind = kind;
        this.a = a;
        this.b = b;
        this.c = c;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case MAD_LO -> madLoLanes(q);
            case MAD_HI_S -> madHiSLanes(q);
            case MAD_HI_U -> madHiULanes(q);
            case MAD_WIDE_S -> madWideSLanes(r, q);
            case MAD_WIDE_U -> madWideULanes(r, q);
            case BFE_U -> bfeULanes(r, q);
            case BFE_S -> bfeSLanes(r, q);
        }
    }

    private void madLoLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] * q[b + l] + q[c + l];
        }
    }

    private void madHiSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.multiplyHigh(q[a + l], q[b + l]) + q[c + l];
        }
    }

    private void madHiULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.unsignedMultiplyHigh(q[a + l], q[b + l]) + q[c + l];
        }
    }

    private void madWideSLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (long) r[a + l] * r[b + l] + q[c + l];
        }
    }

    private void madWideULanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (r[a + l] & 0xFFFF_FFFFL) * (r[b + l] & 0xFFFF_FFFFL) + q[c + l];
        }
    }

    private void bfeULanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Bits.extract(q[a + l], r[b + l], r[c + l], 64, false);
        }
    }

    private void bfeSLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Bits.extract(q[a + l], r[b + l], r[c + l], 64, true);
        }
    }
}
