package org.bitwitness.kernels.ptx.emulator;

/** binary64, rounded to nearest even. PTX leaves the payload of a NaN open here; ours is 7fffffffffffffff. */
final class DoubleOp extends LaneOp {
    /** What it computes. */
    enum Kind {
        ADD,
        SUB,
        MUL,
        DIV,
        FMA,
        SQRT,
        RCP,
        MIN,
        MAX,
        NEG,
        ABS,
        COPYSIGN,
        RINT,
        FLOOR,
        CEIL,
        TRUNC,
        FROM_F32,
        FROM_S32,
        FROM_U32,
        FROM_S64,
        FROM_U64
    }

    private final Kind kind;
    private final int a;
    private final int b;
    private final int c;

    DoubleOp(int line, Kind kind, int d, int a, int b, int c) {
        super(line, d, true);
        this.kind = kind;
        this.a = a;
        this.b = b;
        this.c = c;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case ADD -> addLanes(q);
            case SUB -> subLanes(q);
            case MUL -> mulLanes(q);
            case DIV -> divLanes(q);
            case FMA -> fmaLanes(q);
            case SQRT -> sqrtLanes(q);
            case RCP -> rcpLanes(q);
            case MIN -> minLanes(q);
            case MAX -> maxLanes(q);
            case NEG -> negLanes(q);
            case ABS -> absLanes(q);
            case COPYSIGN -> copysignLanes(q);
            case RINT -> rintLanes(q);
            case FLOOR -> floorLanes(q);
            case CEIL -> ceilLanes(q);
            case TRUNC -> truncLanes(q);
            case FROM_F32 -> fromF32Lanes(r, q);
            case FROM_S32 -> fromS32Lanes(r, q);
            case FROM_U32 -> fromU32Lanes(r, q);
            case FROM_S64 -> fromS64Lanes(q);
            case FROM_U64 -> fromU64Lanes(q);
        }
    }

    private void addLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Double.longBitsToDouble(q[a + l]) + Double.longBitsToDouble(q[b + l]));
        }
    }

    private void subLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Double.longBitsToDouble(q[a + l]) - Double.longBitsToDouble(q[b + l]));
        }
    }

    private void mulLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Double.longBitsToDouble(q[a + l]) * Double.longBitsToDouble(q[b + l]));
        }
    }

    private void divLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Double.longBitsToDouble(q[a + l]) / Double.longBitsToDouble(q[b + l]));
        }
    }

    private void fmaLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Math.fma(
                    Double.longBitsToDouble(q[a + l]),
                    Double.longBitsToDouble(q[b + l]),
                    Double.longBitsToDouble(q[c + l])));
        }
    }

    private void sqrtLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Math.sqrt(Double.longBitsToDouble(q[a + l])));
        }
    }

    private void rcpLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(1.0 / Double.longBitsToDouble(q[a + l]));
        }
    }

    private void minLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = least(Double.longBitsToDouble(q[a + l]), Double.longBitsToDouble(q[b + l]));
        }
    }

    private void maxLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = greatest(Double.longBitsToDouble(q[a + l]), Double.longBitsToDouble(q[b + l]));
        }
    }

    private void negLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] ^ Long.MIN_VALUE;
        }
    }

    private void absLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = q[a + l] & Long.MAX_VALUE;
        }
    }

    private void copysignLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = (q[b + l] & Long.MAX_VALUE) | (q[a + l] & Long.MIN_VALUE);
        }
    }

    private void rintLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Math.rint(Double.longBitsToDouble(q[a + l])));
        }
    }

    private void floorLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Math.floor(Double.longBitsToDouble(q[a + l])));
        }
    }

    private void ceilLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Math.ceil(Double.longBitsToDouble(q[a + l])));
        }
    }

    private void truncLanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits(Bits.truncate(Double.longBitsToDouble(q[a + l])));
        }
    }

    private void fromF32Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = bits((double) Float.intBitsToFloat(r[a + l]));
        }
    }

    private void fromS32Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Double.doubleToRawLongBits((double) r[a + l]);
        }
    }

    private void fromU32Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Double.doubleToRawLongBits((double) (r[a + l] & 0xFFFF_FFFFL));
        }
    }

    private void fromS64Lanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Double.doubleToRawLongBits((double) q[a + l]);
        }
    }

    private void fromU64Lanes(long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            q[d + l] = Double.doubleToRawLongBits(Bits.unsignedToDouble(q[a + l]));
        }
    }

    private static long bits(double value) {
        return !Double.isNaN(value) ? Double.doubleToRawLongBits(value) : Long.MAX_VALUE;
    }

    private static long least(double a, double b) {
        return bits(Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.min(a, b));
    }

    private static long greatest(double a, double b) {
        return bits(Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b));
    }
}
