package org.bitwitness.kernels.ptx.emulator;

import static org.junit.jupiter.api.Assertions.fail;

import java.math.BigInteger;
import java.util.Random;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.Grid;
import org.junit.jupiter.api.Test;

/** Integer operations against their definitions, written with big integers and loops over bits. */
final class IntegerBitsTest {
    private static final int COUNT = 1024;
    private static final int[] CORNERS = {0, 1, -1, 2, 31, 32, 33, 63, 64, 255, 0x7FFF_FFFF, 0x8000_0000, 0x7FFF, 0x8000
    };
    private static final BigInteger WORD = BigInteger.ONE.shiftLeft(32);

    private interface Ternary {
        long apply(int a, int b, int c);
    }

    private static int[] inputs(long seed) {
        Random random = new Random(seed);
        int[] in = new int[3 * COUNT];
        for (int i = 0; i < in.length; i++) {
            in[i] = random.nextInt(3) == 0
                    ? CORNERS[random.nextInt(CORNERS.length)]
                    : random.nextInt() >> random.nextInt(31);
        }
        return in;
    }

    /** Runs operations on {@code %r4, %r5, %r6} (and the first two as {@code %rd5}) that leave {@code %rd6}. */
    private static void same(String operations, Ternary expected) {
        long seed = 20_261_130;
        int[] in = inputs(seed);
        String body = """
                mov.u32 %r7, %ctaid.x;
                mad.lo.s32 %r8, %r7, 32, %r1;
                mul.wide.u32 %rd7, %r8, 12;
                add.s64 %rd7, %rd0, %rd7;
                ld.global.u32 %r4, [%rd7];
                ld.global.u32 %r5, [%rd7+4];
                ld.global.u32 %r6, [%rd7+8];
                mov.b64 %rd5, {%r4, %r5};
                """
                + operations + "\nmul.wide.u32 %rd8, %r8, 8;\nadd.s64 %rd8, %rd1, %rd8;\nst.global.u64 [%rd8], %rd6;";
        Ptx.Shape shape = new Ptx.Shape(Grid.of(COUNT / 32), Block.of(32));
        int[] out = Ptx.run(EmulatorOptions.withChecks(), body, shape, in, 2 * COUNT);
        for (int i = 0; i < COUNT; i++) {
            long found = (out[2 * i] & 0xFFFF_FFFFL) | ((long) out[2 * i + 1] << 32);
            long wanted = expected.apply(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
            if (found != wanted) {
                fail("%s of %08x, %08x, %08x: expected %016x, got %016x (seed %d)"
                        .formatted(operations, in[3 * i], in[3 * i + 1], in[3 * i + 2], wanted, found, seed));
            }
        }
    }

    /** An operation with a 32-bit result. */
    private static void same32(String operation, Ternary expected) {
        same(operation + "\ncvt.u64.u32 %rd6, %r9;", (a, b, c) -> expected.apply(a, b, c) & 0xFFFF_FFFFL);
    }

    private static BigInteger unsigned(int value) {
        return BigInteger.valueOf(value & 0xFFFF_FFFFL);
    }

    private static BigInteger pair(int low, int high) {
        return unsigned(high).multiply(WORD).add(unsigned(low));
    }

    @Test
    void productsHaveBothHalves() {
        same32("mul.lo.s32 %r9, %r4, %r5;", (a, b, c) -> (long) a * b);
        same32("mul.hi.s32 %r9, %r4, %r5;", (a, b, c) -> ((long) a * b) >> 32);
        same32(
                "mul.hi.u32 %r9, %r4, %r5;",
                (a, b, c) -> unsigned(a).multiply(unsigned(b)).shiftRight(32).longValue());
        same32("mad.lo.u32 %r9, %r4, %r5, %r6;", (a, b, c) -> (long) a * b + c);
        same32(
                "mad.hi.u32 %r9, %r4, %r5, %r6;",
                (a, b, c) -> unsigned(a).multiply(unsigned(b)).shiftRight(32).longValue() + c);
        same("mul.wide.s32 %rd6, %r4, %r5;", (a, b, c) -> (long) a * b);
        same(
                "mul.wide.u32 %rd6, %r4, %r5;",
                (a, b, c) -> unsigned(a).multiply(unsigned(b)).longValue());
        same(
                "cvt.s64.s32 %rd9, %r6;\nmul.hi.s64 %rd6, %rd5, %rd9;",
                (a, b, c) -> BigInteger.valueOf(pair(a, b).longValue())
                        .multiply(BigInteger.valueOf(c))
                        .shiftRight(64)
                        .longValue());
        same(
                "cvt.u64.u32 %rd9, %r6;\nmul.hi.u64 %rd6, %rd5, %rd9;",
                (a, b, c) -> pair(a, b).multiply(unsigned(c)).shiftRight(64).longValue());
        same(
                "cvt.s64.s32 %rd9, %r6;\nmad.lo.s64 %rd6, %rd5, %rd9, %rd5;",
                (a, b, c) -> pair(a, b).longValue() * c + pair(a, b).longValue());
    }

    @Test
    void quotientsOfBothSignsAndWidths() {
        // Division by zero is not defined in PTX: a one stands in.
        String safe = "max.u32 %r6, %r6, 1;\n";
        same32(safe + "div.u32 %r9, %r4, %r6;", (a, b, c) -> (a & 0xFFFF_FFFFL) / nonZero(c));
        same32(safe + "rem.u32 %r9, %r4, %r6;", (a, b, c) -> (a & 0xFFFF_FFFFL) % nonZero(c));
        same32(safe + "div.s32 %r9, %r4, %r6;", (a, b, c) -> (long) a / (int) nonZero(c));
        same32(safe + "rem.s32 %r9, %r4, %r6;", (a, b, c) -> (long) a % (int) nonZero(c));
        String wide = safe + "cvt.u64.u32 %rd9, %r6;\n";
        same(
                wide + "div.u64 %rd6, %rd5, %rd9;",
                (a, b, c) -> pair(a, b).divide(BigInteger.valueOf(nonZero(c))).longValue());
        same(
                wide + "rem.s64 %rd6, %rd5, %rd9;",
                (a, b, c) -> BigInteger.valueOf(pair(a, b).longValue())
                        .remainder(BigInteger.valueOf(nonZero(c)))
                        .longValue());
    }

    private static long nonZero(int c) {
        return Math.max(1, c & 0xFFFF_FFFFL);
    }

    @Test
    void shiftsByMoreThanTheWidthLeaveNothing() {
        same32("shl.b32 %r9, %r4, %r5;", (a, b, c) -> b < 0 || b > 31 ? 0 : (long) a << b);
        same32("shr.u32 %r9, %r4, %r5;", (a, b, c) -> b < 0 || b > 31 ? 0 : (a & 0xFFFF_FFFFL) >> b);
        same32("shr.s32 %r9, %r4, %r5;", (a, b, c) -> (long) a >> (b < 0 || b > 31 ? 63 : b));
        same(
                "shl.b64 %rd6, %rd5, %r6;",
                (a, b, c) -> c < 0 || c > 63 ? 0 : pair(a, b).shiftLeft(c).longValue());
        same(
                "shr.u64 %rd6, %rd5, %r6;",
                (a, b, c) -> c < 0 || c > 63 ? 0 : pair(a, b).shiftRight(c).longValue());
        same("shr.s64 %rd6, %rd5, %r6;", (a, b, c) -> pair(a, b).longValue() >> (c < 0 || c > 63 ? 63 : c));
        same32(
                "shf.l.wrap.b32 %r9, %r4, %r5, %r6;",
                (a, b, c) -> pair(a, b).shiftLeft(c & 31).shiftRight(32).longValue());
        same32(
                "shf.r.wrap.b32 %r9, %r4, %r5, %r6;",
                (a, b, c) -> pair(a, b).shiftRight(c & 31).longValue());
        same32(
                "shf.l.clamp.b32 %r9, %r4, %r5, %r6;",
                (a, b, c) -> pair(a, b).shiftLeft(clamped(c)).shiftRight(32).longValue());
        same32(
                "shf.r.clamp.b32 %r9, %r4, %r5, %r6;",
                (a, b, c) -> pair(a, b).shiftRight(clamped(c)).longValue());
    }

    private static int clamped(int c) {
        return c < 0 || c > 32 ? 32 : c;
    }

    @Test
    void bitFieldsFollowTheLoopsOfTheManual() {
        same32("bfe.u32 %r9, %r4, %r5, %r6;", (a, b, c) -> extracted(a & 0xFFFF_FFFFL, b, c, 32, false));
        same32("bfe.s32 %r9, %r4, %r5, %r6;", (a, b, c) -> extracted(a, b, c, 32, true));
        same("bfe.u64 %rd6, %rd5, %r5, %r6;", (a, b, c) -> extracted(pair(a, b).longValue(), b, c, 64, false));
        same("bfe.s64 %rd6, %rd5, %r5, %r6;", (a, b, c) -> extracted(pair(a, b).longValue(), b, c, 64, true));
        same32("bfi.b32 %r9, %r4, %r5, %r5, %r6;", (a, b, c) -> inserted(a, b, b, c, 32));
        same(
                "bfi.b64 %rd6, %rd5, %rd5, %r5, %r6;",
                (a, b, c) -> inserted(pair(a, b).longValue(), pair(a, b).longValue(), b, c, 64));
        same32("prmt.b32 %r9, %r4, %r5, %r6;", IntegerBitsTest::permuted);
        same32("lop3.b32 %r9, %r4, %r5, %r6, 0x96;", (a, b, c) -> a ^ b ^ c);
        same32("lop3.b32 %r9, %r4, %r5, %r6, 0xCA;", (a, b, c) -> (a & b) | (~a & c));
        same32("bfind.u32 %r9, %r4;", (a, b, c) -> 31 - Integer.numberOfLeadingZeros(a));
        same32("bfind.s32 %r9, %r4;", (a, b, c) -> 31 - Integer.numberOfLeadingZeros(a < 0 ? ~a : a));
        same32("bfind.shiftamt.u32 %r9, %r4;", (a, b, c) -> a == 0 ? -1 : Integer.numberOfLeadingZeros(a));
        same32("popc.b64 %r9, %rd5;", (a, b, c) -> Integer.bitCount(a) + Integer.bitCount(b));
        same32("clz.b64 %r9, %rd5;", (a, b, c) -> 64 - pair(a, b).bitLength());
        same(
                "brev.b64 %rd6, %rd5;",
                (a, b, c) -> pair(Integer.reverse(b), Integer.reverse(a)).longValue());
    }

    private static long extracted(long a, int b, int c, int width, boolean signed) {
        int position = b & 255;
        int length = c & 255;
        int last = Math.min(position + length - 1, width - 1);
        long fill = !signed || length == 0 ? 0 : a >>> last & 1;
        long result = 0;
        for (int i = 0; i < width; i++) {
            long bit = i < length && position + i < width ? a >>> (position + i) & 1 : fill;
            result |= bit << i;
        }
        return result;
    }

    private static long inserted(long a, long b, int c, int d, int width) {
        long result = b;
        for (int i = 0; i < (d & 255) && (c & 255) + i < width; i++) {
            int at = (c & 255) + i;
            result = (result & ~(1L << at)) | ((a >>> i & 1) << at);
        }
        return result;
    }

    private static long permuted(int a, int b, int c) {
        long result = 0;
        for (int i = 0; i < 4; i++) {
            int selector = c >>> (4 * i) & 15;
            int picked = (selector & 4) == 0 ? a >>> (8 * (selector & 3)) & 255 : b >>> (8 * (selector & 3)) & 255;
            if (selector >= 8) {
                picked = picked >= 128 ? 255 : 0;
            }
            result |= (long) picked << (8 * i);
        }
        return result;
    }

    @Test
    void narrowValuesAreExtendedByTheirType() {
        same("cvt.u16.u32 %rs1, %r4;\ncvt.s64.s16 %rd6, %rs1;", (a, b, c) -> (short) a);
        same("cvt.u16.u32 %rs1, %r4;\ncvt.u64.u16 %rd6, %rs1;", (a, b, c) -> a & 0xFFFF);
        same("cvt.s32.s8 %r9, %r4;\ncvt.s64.s32 %rd6, %r9;", (a, b, c) -> (byte) a);
        same(
                "cvt.u16.u32 %rs1, %r4;\ncvt.u16.u32 %rs2, %r5;\nadd.s16 %rs3, %rs1, %rs2;\ncvt.s64.s16 %rd6, %rs3;",
                (a, b, c) -> (short) (a + b));
        same(
                "cvt.u16.u32 %rs1, %r4;\ncvt.u16.u32 %rs2, %r5;\nmul.wide.s16 %r9, %rs1, %rs2;\ncvt.s64.s32 %rd6, %r9;",
                (a, b, c) -> (short) a * (short) b);
        same("""
            cvt.u16.u32 %rs1, %r4;
            cvt.u16.u32 %rs2, %r5;
            setp.lt.s16 %p1, %rs1, %rs2;
            selp.u64 %rd6, 1, 0, %p1;
            """, (a, b, c) -> (short) a < (short) b ? 1 : 0);
        same(
                "mov.b32 {%rs1, %rs2}, %r4;\nmov.b32 %r9, {%rs2, %rs1};\ncvt.u64.u32 %rd6, %r9;",
                (a, b, c) -> Integer.rotateLeft(a, 16) & 0xFFFF_FFFFL);
    }

    @Test
    void comparisonsOfBothSignsAndWidths() {
        for (String name : "eq ne lt le gt ge lo ls hi hs".split(" ", -1)) {
            String u = "setp.%s.u32 %%p1, %%r4, %%r5;\nselp.u64 %%rd6, 1, 0, %%p1;".formatted(name);
            same(u, (a, b, c) -> compared(name, Integer.compareUnsigned(a, b)) ? 1 : 0);
            if (!name.matches("lo|ls|hi|hs")) {
                String s = "setp.%s.s32 %%p1, %%r4, %%r5;\nselp.u64 %%rd6, 1, 0, %%p1;".formatted(name);
                same(s, (a, b, c) -> compared(name, Integer.compare(a, b)) ? 1 : 0);
                String wide =
                        "cvt.s64.s32 %rd9, %r6;\nsetp." + name + ".s64 %p1, %rd5, %rd9;\nselp.u64 %rd6, 1, 0, %p1;";
                same(wide, (a, b, c) -> compared(name, Long.compare(pair(a, b).longValue(), c)) ? 1 : 0);
            }
        }
        same(
                "setp.lt.u32 %p2, %r5, %r6;\nsetp.lt.xor.u32 %p1, %r4, %r5, %p2;\nselp.u64 %rd6, 1, 0, %p1;",
                (a, b, c) -> Integer.compareUnsigned(a, b) < 0 ^ Integer.compareUnsigned(b, c) < 0 ? 1 : 0);
    }

    private static boolean compared(String name, int order) {
        return switch (name) {
            case "eq" -> order == 0;
            case "ne" -> order != 0;
            case "lt", "lo" -> order < 0;
            case "le", "ls" -> order <= 0;
            case "gt", "hi" -> order > 0;
            default -> order >= 0;
        };
    }
}
