package org.bitwitness.kernels.ptx.emulator;

/** binary32, rounded to nearest even, subnormals kept. A NaN result is the one that GPUs make, 7fffffff. */
final class FloatOp extends LaneOp {
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
        FROM_F64,
        FROM_S32,
        FROM_U32,
        FROM_S64,
        FROM_U64
    }

    private final Kind kind;
    private final int a;
    private final int b;
    private final int c;

    FloatOp(int line, Kind kind, int d, int a, int b, int c) {
        super(line, d, false);
        this.kind = kind;
        this.a = a;
        this.b = b;
        this.c = c;
    }

    @Override
    void compute(int[] r, long[] q) {
        switch (kind) {
            case ADD -> addLanes(r);
            case SUB -> subLanes(r);
            case MUL -> mulLanes(r);
            case DIV -> divLanes(r);
            case FMA -> fmaLanes(r);
            case SQRT -> sqrtLanes(r);
            case RCP -> rcpLanes(r);
            case MIN -> minLanes(r);
            case MAX -> maxLanes(r);
            case NEG -> negLanes(r);
            case ABS -> absLanes(r);
            case COPYSIGN -> copysignLanes(r);
            case RINT -> rintLanes(r);
            case FLOOR -> floorLanes(r);
            case CEIL -> ceilLanes(r);
            case TRUNC -> truncLanes(r);
            case FROM_F64 -> fromF64Lanes(r, q);
            case FROM_S32 -> fromS32Lanes(r);
            case FROM_U32 -> fromU32Lanes(r);
            case FROM_S64 -> fromS64Lanes(r, q);
            case FROM_U64 -> fromU64Lanes(r, q);
        }
    }

    private void addLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(Float.intBitsToFloat(r[a + l]) + Float.intBitsToFloat(r[b + l]));
        }
    }

    private void subLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(Float.intBitsToFloat(r[a + l]) - Float.intBitsToFloat(r[b + l]));
        }
    }

    private void mulLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(Float.intBitsToFloat(r[a + l]) * Float.intBitsToFloat(r[b + l]));
        }
    }

    private void divLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(Float.intBitsToFloat(r[a + l]) / Float.intBitsToFloat(r[b + l]));
        }
    }

    private void fmaLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(Math.fma(
                    Float.intBitsToFloat(r[a + l]), Float.intBitsToFloat(r[b + l]), Float.intBitsToFloat(r[c + l])));
        }
    }

    private void sqrtLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Math.sqrt(Float.intBitsToFloat(r[a + l])));
        }
    }

    private void rcpLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits(1.0f / Float.intBitsToFloat(r[a + l]));
        }
    }

    private void minLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = least(Float.intBitsToFloat(r[a + l]), Float.intBitsToFloat(r[b + l]));
        }
    }

    private void maxLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = greatest(Float.intBitsToFloat(r[a + l]), Float.intBitsToFloat(r[b + l]));
        }
    }

    private void negLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] ^ 0x8000_0000;
        }
    }

    private void absLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = r[a + l] & 0x7FFF_FFFF;
        }
    }

    private void copysignLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = (r[b + l] & 0x7FFF_FFFF) | (r[a + l] & 0x8000_0000);
        }
    }

    private void rintLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Math.rint(Float.intBitsToFloat(r[a + l])));
        }
    }

    private void floorLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Math.floor(Float.intBitsToFloat(r[a + l])));
        }
    }

    private void ceilLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Math.ceil(Float.intBitsToFloat(r[a + l])));
        }
    }

    private void truncLanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Bits.truncate(Float.intBitsToFloat(r[a + l])));
        }
    }

    private void fromF64Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = bits((float) Double.longBitsToDouble(q[a + l]));
        }
    }

    private void fromS32Lanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Float.floatToRawIntBits((float) r[a + l]);
        }
    }

    private void fromU32Lanes(int[] r) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Float.floatToRawIntBits((float) (r[a + l] & 0xFFFF_FFFFL));
        }
    }

    private void fromS64Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Float.floatToRawIntBits((float) q[a + l]);
        }
    }

    private void fromU64Lanes(int[] r, long[] q) {
        for (int l = 0; l < Warp.LANES; l++) {
            r[d + l] = Float.floatToRawIntBits(Bits.unsignedToFloat(q[a + l]));
        }
    }

    private static int bits(float value) {
        return !Float.isNaN(value) ? Float.floatToRawIntBits(value) : Bits.GPU_NAN;
    }

    /** The number where the other is NaN; -0 is less than +0. */
    private static int least(float a, float b) {
        return bits(Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b));
    }

    private static int greatest(float a, float b) {
        return bits(Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b));
    }
}
