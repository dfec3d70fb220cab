package org.bitwitness.kernels.ptx.emulator;

/** Rules of PTX for bits that Java has no operator for. */
final class Bits {
    /** What every binary32 operation of a GPU makes of an invalid one; x86 makes ffc00000. */
    static final int GPU_NAN = 0x7FFF_FFFF;

    private Bits() {}

    /** {@code prmt.b32}: picks four of eight bytes; bit 3 of a selector spreads the byte's sign. */
    static int permute(long bytes, int selectors) {
        int result = 0;
        for (int i = 0; i < 4; i++) {
            int selector = selectors >>> (4 * i);
            int picked = (int) (bytes >>> (8 * (selector & 7))) & 0xFF;
            if ((selector & 8) != 0) {
                picked = (picked & 0x80) != 0 ? 0xFF : 0;
            }
            result |= picked << (8 * i);
        }
        return result;
    }

    /** {@code bfe}: {@code length} bits from {@code position} on; bits beyond the operand repeat its sign or are 0. */
    static long extract(long value, int position, int length, int width, boolean signed) {
        int from = position & 0xFF;
        int count = length & 0xFF;
        if (count == 0) {
            return 0;
        }
        long top = width == 64 ? value : signed ? (int) value : value & 0xFFFF_FFFFL;
        long shifted = signed ? top >> Math.min(from, 63) : from > 63 ? 0 : top >>> from;
        if (count >= width) {
            return shifted;
        }
        if (!signed) {
            return shifted & ((1L << count) - 1);
        }
        return (shifted << (64 - count)) >> (64 - count);
    }

    /** {@code bfi}: puts the low {@code length} bits of {@code source} into {@code target} at {@code position}. */
    static long insert(long source, long target, int position, int length, int width) {
        int from = position & 0xFF;
        int count = Math.min(length & 0xFF, width - from);
        if (count <= 0) {
            return target;
        }
        long mask = (count == 64 ? -1L : (1L << count) - 1) << from;
        return (target & ~mask) | ((source << from) & mask);
    }

    static double truncate(double value) {
        return value < 0 ? Math.ceil(value) : Math.floor(value);
    }

    /** Halving keeps a sticky bit, so the rounding happens once. */
    static float unsignedToFloat(long value) {
        return value >= 0 ? (float) value : 2 * (float) ((value >>> 1) | (value & 1));
    }

    static double unsignedToDouble(long value) {
        return value >= 0 ? (double) value : 2 * (double) ((value >>> 1) | (value & 1));
    }

    /** A double that is an integer to unsigned 64 bits, clamped; NaN is 0. */
    static long toUnsigned64(double value) {
        if (!(value > 0)) {
            return 0;
        }
        if (value >= 0x1p64) {
            return -1;
        }
        return value < 0x1p63 ? (long) value : (long) (value - 0x1p63) ^ Long.MIN_VALUE;
    }

    /** {@code lop3}: bit {@code 4a + 2b + c} of the table for every bit. */
    static int logic(int a, int b, int c, int table) {
        int result = 0;
        for (int i = 0; i < 8; i++) {
            if ((table >> i & 1) != 0) {
                result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
            }
        }
        return result;
    }
}
