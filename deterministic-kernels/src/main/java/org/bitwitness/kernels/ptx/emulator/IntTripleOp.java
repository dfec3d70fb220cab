package org.bitwitness.kernels.ptx.emulator;

/** 32-bit integers: three operands to one result. */
final class IntTripleOp extends LaneOp {
    /** What it computes. */
    enum Kind {
        MAD_LO,
        MAD_HI_S,
        MAD_HI_U,
        SHF_L_WRAP,
        SHF_R_WRAP,
        SHF_L_CLAMP,
        SHF_R_CLAMP,
        PRMT,
        BFE_U,
        BFE_S,
        SAD_S,
        SAD_U
    }

    private final Kind kind;
    private final int a;
    private final int b;
    private final int c;

    IntTripleOp(int line, Kind kind, int d, int a, int b, int c) {
        super(line, d, false);
        this.kind = kind;
        this.a = a;
        this.b = b;
        this.c = c;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case MAD_LO -> madLoLanes(r);
            case MAD_HI_S -> madHiSLanes(r);
            case MAD_HI_U -> madHiULanes(r);
            case SHF_L_WRAP -> shfLWrapLanes(r);
            case SHF_R_WRAP -> shfRWrapLanes(r);
            case SHF_L_CLAMP -> shfLClampLanes(r);
            case SHF_R_CLAMP -> shfRClampLanes(r);
            case PRMT -> prmtLanes(r);
            case BFE_U -> bfeULanes(r);
            case BFE_S -> bfeSLanes(r);
            case SAD_S -> sadSLanes(r);
            case SAD_U -> sadULanes(r);
        }
    }

    private void madLoLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] * r[b + l] + r[c + l];
        }
    }

    private void madHiSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (((long) r[a + l] * r[b + l]) >> 32) + r[c + l];
        }
    }

    private void madHiULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (((r[a + l] & 0xFFFF_FFFFL) * (r[b + l] & 0xFFFF_FFFFL)) >>> 32) + r[c + l];
        }
    }

    private void shfLWrapLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) ((pair(r[a + l], r[b + l]) << (r[c + l] & 31)) >>> 32);
        }
    }

    private void shfRWrapLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (pair(r[a + l], r[b + l]) >>> (r[c + l] & 31));
        }
    }

    private void shfLClampLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) ((pair(r[a + l], r[b + l]) << atMost32(r[c + l])) >>> 32);
        }
    }

    private void shfRClampLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (pair(r[a + l], r[b + l]) >>> atMost32(r[c + l]));
        }
    }

    private void prmtLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Bits.permute(pair(r[a + l], r[b + l]), r[c + l]);
        }
    }

    private void bfeULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) Bits.extract(r[a + l] & 0xFFFF_FFFFL, r[b + l], r[c + l], 32, false);
        }
    }

    private void bfeSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) Bits.extract(r[a + l], r[b + l], r[c + l], 32, true);
        }
    }

    private void sadSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Math.abs(r[a + l] - r[b + l]) + r[c + l];
        }
    }

    private void sadULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (Integer.compareUnsigned(r[a + l], r[b + l]) < 0 ? r[b + l] - r[a + l] : r[a + l] - r[b + l])
                    + r[c + l];
        }
    }

    private static long pair(int low, int high) {
        return (low & 0xFFFF_FFFFL) | ((long) high << 32);
    }

    private static int atMost32(int shift) {
        return Integer.compareUnsigned(shift, 32) > 0 ? 32 : shift;
    }
}
