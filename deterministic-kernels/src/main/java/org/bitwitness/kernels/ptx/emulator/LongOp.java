package org.bitwitness.kernels.ptx.emulator;

/** 64-bit integers: one or two operands to one result. */
final class LongOp extends LaneOp {
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
        BREV,
        SHL,
        SHR_U,
        SHR_S,
        MUL_WIDE_S,
        MUL_WIDE_U,
        PACK
    }

    private final Kind kind;
    private final int a;
    private final int b;

    LongOp(int line, Kind kind, int d, int a, int b) {
        super(line, d, true);
        this.kind = kind;
        this.a = a;
        this.b = b;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case COPY -> copyLanes(q);
            case ADD -> addLanes(q);
            case SUB -> subLanes(q);
            case MUL -> mulLanes(q);
            case MUL_HI_S -> mulHiSLanes(q);
            case MUL_HI_U -> mulHiULanes(q);
            case MIN_S -> minSLanes(q);
            case MAX_S -> maxSLanes(q);
            case MIN_U -> minULanes(q);
            case MAX_U -> maxULanes(q);
            case DIV_S -> divSLanes(q);
            case DIV_U -> divULanes(q);
            case REM_S -> remSLanes(q);
            case REM_U -> remULanes(q);
            case AND -> andLanes(q);
            case OR -> orLanes(q);
            case XOR -> xorLanes(q);
            case NOT -> notLanes(q);
            case NEG -> negLanes(q);
            case ABS -> absLanes(q);
            case BREV -> brevLanes(q);
            case SHL -> shlLanes(r, q);
            case SHR_U -> shrULanes(r, q);
            case SHR_S -> shrSLanes(r, q);
            case MUL_WIDE_S -> mulWideSLanes(r, q);
            case MUL_WIDE_U -> mulWideULanes(r, q);
            case PACK -> packLanes(r, q);
        }
    }

    private void copyLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l];
        }
    }

    private void addLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] + q[b + l];
        }
    }

    private void subLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] - q[b + l];
        }
    }

    private void mulLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] * q[b + l];
        }
    }

    private void mulHiSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.multiplyHigh(q[a + l], q[b + l]);
        }
    }

    private void mulHiULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.unsignedMultiplyHigh(q[a + l], q[b + l]);
        }
    }

    private void minSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.min(q[a + l], q[b + l]);
        }
    }

    private void maxSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.max(q[a + l], q[b + l]);
        }
    }

    private void minULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Long.compareUnsigned(q[a + l], q[b + l]) < 0 ? q[a + l] : q[b + l];
        }
    }

    private void maxULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Long.compareUnsigned(q[a + l], q[b + l]) > 0 ? q[a + l] : q[b + l];
        }
    }

    private void divSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[b + l] == 0 ? -1 : q[a + l] / q[b + l];
        }
    }

    private void divULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[b + l] == 0 ? -1 : Long.divideUnsigned(q[a + l], q[b + l]);
        }
    }

    private void remSLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[b + l] == 0 ? -1 : q[a + l] % q[b + l];
        }
    }

    private void remULanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[b + l] == 0 ? -1 : Long.remainderUnsigned(q[a + l], q[b + l]);
        }
    }

    private void andLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] & q[b + l];
        }
    }

    private void orLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] | q[b + l];
        }
    }

    private void xorLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] ^ q[b + l];
        }
    }

    private void notLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = ~q[a + l];
        }
    }

    private void negLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = -q[a + l];
        }
    }

    private void absLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Math.abs(q[a + l]);
        }
    }

    private void brevLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Long.reverse(q[a + l]);
        }
    }

    private void shlLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Integer.compareUnsigned(r[b + l], 63) > 0 ? 0 : q[a + l] << r[b + l];
        }
    }

    private void shrULanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Integer.compareUnsigned(r[b + l], 63) > 0 ? 0 : q[a + l] >>> r[b + l];
        }
    }

    private void shrSLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] >> (Integer.compareUnsigned(r[b + l], 63) > 0 ? 63 : r[b + l]);
        }
    }

    private void mulWideSLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (long) r[a + l] * r[b + l];
        }
    }

    private void mulWideULanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (r[a + l] & 0xFFFF_FFFFL) * (r[b + l] & 0xFFFF_FFFFL);
        }
    }

    private void packLanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (r[a + l] & 0xFFFF_FFFFL) | ((long) r[b + l] << 32);
        }
    }
}
