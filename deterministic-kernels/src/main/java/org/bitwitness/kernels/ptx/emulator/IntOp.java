package org.bitwitness.kernels.ptx.emulator;

/** 32-bit integers: one or two operands to one result. A shift by 32 or more leaves what a long shift would. */
final class IntOp extends LaneOp {
    /** What it computes. */
    enum Kind {
        COPY,
        ADD,
        SUB,
        MUL,
        MUL_HI_S,
        MUL_HI_U,
        MIN_S,
        MAX_S,
        MIN_U,
        MAX_U,
        DIV_S,
        DIV_U,
        REM_S,
        REM_U,
        AND,
        OR,
        XOR,
        NOT,
        NEG,
        ABS,
        SHL,
        SHR_U,
        SHR_S,
        POPC,
        CLZ,
        BREV,
        BFIND_U,
        BFIND_S,
        BFIND_SHIFT_U,
        BFIND_SHIFT_S,
        SIGN_16,
        LOW_16
    }

    private final Kind kind;
    private final int a;
    private final int b;

    IntOp(int line, Kind kind, int d, int a, int b) {
        super(line, d, false);
        this.kind = kind;
        this.a = a;
        this.b = b;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case COPY -> copyLanes(r);
            case ADD -> addLanes(r);
            case SUB -> subLanes(r);
            case MUL -> mulLanes(r);
            case MUL_HI_S -> mulHiSLanes(r);
            case MUL_HI_U -> mulHiULanes(r);
            case MIN_S -> minSLanes(r);
            case MAX_S -> maxSLanes(r);
            case MIN_U -> minULanes(r);
            case MAX_U -> maxULanes(r);
            case DIV_S -> divSLanes(r);
            case DIV_U -> divULanes(r);
            case REM_S -> remSLanes(r);
            case REM_U -> remULanes(r);
            case AND -> andLanes(r);
            case OR -> orLanes(r);
            case XOR -> xorLanes(r);
            case NOT -> notLanes(r);
            case NEG -> negLanes(r);
            case ABS -> absLanes(r);
            case SHL -> shlLanes(r);
            case SHR_U -> shrULanes(r);
            case SHR_S -> shrSLanes(r);
            case POPC -> popcLanes(r);
            case CLZ -> clzLanes(r);
            case BREV -> brevLanes(r);
            case BFIND_U -> bfindULanes(r);
            case BFIND_S -> bfindSLanes(r);
            case BFIND_SHIFT_U -> bfindShiftULanes(r);
            case BFIND_SHIFT_S -> bfindShiftSLanes(r);
            case SIGN_16 -> sign16Lanes(r);
            case LOW_16 -> low16Lanes(r);
        }
    }

    private void copyLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l];
        }
    }

    private void addLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] + r[b + l];
        }
    }

    private void subLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] - r[b + l];
        }
    }

    private void mulLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] * r[b + l];
        }
    }

    private void mulHiSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (((long) r[a + l] * r[b + l]) >> 32);
        }
    }

    private void mulHiULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (int) (((r[a + l] & 0xFFFF_FFFFL) * (r[b + l] & 0xFFFF_FFFFL)) >>> 32);
        }
    }

    private void minSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Math.min(r[a + l], r[b + l]);
        }
    }

    private void maxSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Math.max(r[a + l], r[b + l]);
        }
    }

    private void minULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.compareUnsigned(r[a + l], r[b + l]) < 0 ? r[a + l] : r[b + l];
        }
    }

    private void maxULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.compareUnsigned(r[a + l], r[b + l]) > 0 ? r[a + l] : r[b + l];
        }
    }

    private void divSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[b + l] == 0 ? -1 : r[a + l] / r[b + l];
        }
    }

    private void divULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[b + l] == 0 ? -1 : Integer.divideUnsigned(r[a + l], r[b + l]);
        }
    }

    private void remSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[b + l] == 0 ? -1 : r[a + l] % r[b + l];
        }
    }

    private void remULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[b + l] == 0 ? -1 : Integer.remainderUnsigned(r[a + l], r[b + l]);
        }
    }

    private void andLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] & r[b + l];
        }
    }

    private void orLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] | r[b + l];
        }
    }

    private void xorLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] ^ r[b + l];
        }
    }

    private void notLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = ~r[a + l];
        }
    }

    private void negLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = -r[a + l];
        }
    }

    private void absLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Math.abs(r[a + l]);
        }
    }

    private void shlLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.compareUnsigned(r[b + l], 31) > 0 ? 0 : r[a + l] << r[b + l];
        }
    }

    private void shrULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.compareUnsigned(r[b + l], 31) > 0 ? 0 : r[a + l] >>> r[b + l];
        }
    }

    private void shrSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] >> (Integer.compareUnsigned(r[b + l], 31) > 0 ? 31 : r[b + l]);
        }
    }

    private void popcLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.bitCount(r[a + l]);
        }
    }

    private void clzLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.numberOfLeadingZeros(r[a + l]);
        }
    }

    private void brevLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Integer.reverse(r[a + l]);
        }
    }

    private void bfindULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = 31 - Integer.numberOfLeadingZeros(r[a + l]);
        }
    }

    private void bfindSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = 31 - Integer.numberOfLeadingZeros(r[a + l] ^ (r[a + l] >> 31));
        }
    }

    private void bfindShiftULanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] == 0 ? -1 : Integer.numberOfLeadingZeros(r[a + l]);
        }
    }

    private void bfindShiftSLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] =
                    (r[a + l] ^ (r[a + l] >> 31)) == 0 ? -1 : Integer.numberOfLeadingZeros(r[a + l] ^ (r[a + l] >> 31));
        }
    }

    private void sign16Lanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (short) r[a + l];
        }
    }

    private void low16Lanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] & 0xFFFF;
        }
    }
}
