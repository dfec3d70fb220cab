package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.ptx.PtxType;

/** {@code cvt} between integers, and from floating point to integers. */
final class CastOps {
    private CastOps() {}

    /** A column and whether it is a 64-bit one. */
    record Column(int at, boolean wide) {}

    /** Integer to integer: cut to the source's width, then to the destination's; both extend. */
    static final class IntToInt extends LaneOp {
        private final Column from;
        private final Column to;
        private final boolean fromSigned;
        private final boolean toSigned;
        private final int fromShift;
        private final int toShift;
        private final int keep;

        /** @param low16 whether the destination register has 16 bits, whose upper half stays 0 */
        IntToInt(int line, Column to, PtxType toType, Column from, PtxType fromType, boolean low16) {
            super(line, to.at, to.wide);
            this.from = from;
            this.to = to;
            this.fromSigned = fromType.isSigned();
            this.toSigned = toType.isSigned();
            this.fromShift = 64 - 8 * fromType.bytes();
            this.toShift = 64 - 8 * toType.bytes();
            this.keep = low16 ? 0xFFFF : -1;
        }

        @Override
        void compute(int[] r, long[] q) {
            for (int l = 0; l < Warp.LANES; l++) {
                long v = (from.wide ? q[from.at + l] : r[from.at + l]) << fromShift;
                v = (fromSigned ? v >> fromShift : v >>> fromShift) << toShift;
                v = toSigned ? v >> toShift : v >>> toShift;
                if (to.wide) {
                    q[d + l] = v;
                } else {
                    r[d + l] = (int) v & keep;
                }
            }
        }
    }

    /** Rounding to an integer. */
    enum Rounding {
        RNI,
        RZI,
        RMI,
        RPI
    }

    /** Floating point to integer: rounded, then clamped; NaN is 0. */
    static final class FloatToInt extends LaneOp {
        private final Column from;
        private final Column to;
        private final PtxType type;
        private final Rounding rounding;
        private final int keep;

        FloatToInt(int line, Column to, PtxType type, Column from, Rounding rounding, boolean low16) {
            super(line, to.at, to.wide);
            this.from = from;
            this.to = to;
            this.type = type;
            this.rounding = rounding;
            this.keep = low16 ? 0xFFFF : -1;
        }

        @Override
        void compute(int[] r, long[] q) {
            for (int l = 0; l < Warp.LANES; l++) {
                double x = from.wide
                        ? Double.longBitsToDouble(q[from.at + l])
                        : (double) Float.intBitsToFloat(r[from.at + l]);
                long v = clamped(rounded(x));
                if (to.wide) {
                    q[d + l] = v;
                } else {
                    r[d + l] = (int) v & keep;
                }
            }
        }

        private double rounded(double x) {
            return switch (rounding) {
                case RNI -> Math.rint(x);
                case RZI -> Bits.truncate(x);
                case RMI -> Math.floor(x);
                case RPI -> Math.ceil(x);
            };
        }

        private long clamped(double x) {
            int bits = 8 * type.bytes();
            if (type == PtxType.U64) {
                return Bits.toUnsigned64(x);
            }
            if (type == PtxType.S64) {
                return (long) x;
            }
            long most = type.isSigned() ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
            long least = type.isSigned() ? -most - 1 : 0;
            return Math.max(least, Math.min(most, (long) x));
        }
    }
}
