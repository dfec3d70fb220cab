package org.bitwitness.kernels.ptx.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Random;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.Grid;
import org.junit.jupiter.api.Test;

/**
 * Floating-point operations against Java's, bit by bit. A GPU makes 7fffffff of every invalid binary32 operation where x86 makes
 * ffc00000 or keeps a payload; that is why the profile hashes every NaN as 7fc00000.
 */
final class FloatBitsTest {
    private static final int GPU_NAN = 0x7FFF_FFFF;
    private static final int COUNT = 4096;
    private static final int[] CORNERS = {
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007F_FFFF,
        0x0080_0000,
        0x8080_0000,
        0x3F80_0000,
        0xBF80_0000,
        0x7F7F_FFFF,
        0xFF7F_FFFF,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0xFFC0_1234,
        0x7F80_0001,
        0x4B00_0001,
        0x3F00_0000,
        0xBF00_0000,
        0x4F00_0000,
        0xCF00_0000,
        0x5F00_0000,
        0x4F80_0000,
        0x3EFF_FFFF
    };

    private interface Binary {
        float apply(float a, float b, float c);
    }

    /** Triples: all pairs of corners, then random bits. */
    private static int[] inputs(long seed) {
        Random random = new Random(seed);
        int[] in = new int[3 * COUNT];
        int pairs = CORNERS.length * CORNERS.length;
        for (int i = 0; i < COUNT; i++) {
            in[3 * i] = i < pairs ? CORNERS[i / CORNERS.length] : random.nextInt();
            in[3 * i + 1] = i < pairs ? CORNERS[i % CORNERS.length] : random.nextInt();
            in[3 * i + 2] = i < pairs ? CORNERS[(i * 7) % CORNERS.length] : random.nextInt();
        }
        // Near each other, so that sums cancel and products underflow.
        for (int i = pairs; i < pairs + 1000; i++) {
            in[3 * i + 1] = in[3 * i] + random.nextInt(17) - 8 ^ 0x8000_0000;
            in[3 * i + 2] = random.nextInt(0x0100_0000);
        }
        return in;
    }

    private static int[] run(String operations, int[] in) {
        String body = """
                mov.u32 %r4, %ctaid.x;
                mad.lo.s32 %r5, %r4, 32, %r1;
                mul.wide.u32 %rd5, %r5, 12;
                add.s64 %rd6, %rd0, %rd5;
                ld.global.f32 %f1, [%rd6];
                ld.global.f32 %f2, [%rd6+4];
                ld.global.f32 %f3, [%rd6+8];
                """
                + operations + "\nmul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd8, %rd1, %rd7;\nst.global.f32 [%rd8], %f0;";
        Ptx.Shape shape = new Ptx.Shape(Grid.of(COUNT / 32), Block.of(32));
        return Ptx.run(EmulatorOptions.withChecks(), body, shape, in, COUNT);
    }

    private static void same(String operations, Binary expected) {
        long seed = 20_261_130;
        int[] in = inputs(seed);
        int[] out = run(operations, in);
        for (int i = 0; i < COUNT; i++) {
            float value = expected.apply(
                    Float.intBitsToFloat(in[3 * i]),
                    Float.intBitsToFloat(in[3 * i + 1]),
                    Float.intBitsToFloat(in[3 * i + 2]));
            int bits = Float.isNaN(value) ? GPU_NAN : Float.floatToRawIntBits(value);
            if (bits != out[i]) {
                fail("%s of %08x, %08x, %08x: expected %08x, got %08x (seed %d)"
                        .formatted(operations, in[3 * i], in[3 * i + 1], in[3 * i + 2], bits, out[i], seed));
            }
        }
    }

    @Test
    void arithmeticRoundsAsJavaDoesAndKeepsSubnormals() {
        same("add.rn.f32 %f0, %f1, %f2;", (a, b, c) -> a + b);
        same("sub.rn.f32 %f0, %f1, %f2;", (a, b, c) -> a - b);
        same("mul.rn.f32 %f0, %f1, %f2;", (a, b, c) -> a * b);
        same("div.rn.f32 %f0, %f1, %f2;", (a, b, c) -> a / b);
        same("fma.rn.f32 %f0, %f1, %f2, %f3;", (a, b, c) -> Math.fma(a, b, c));
        same("sqrt.rn.f32 %f0, %f1;", (a, b, c) -> (float) Math.sqrt(a));
        same("rcp.rn.f32 %f0, %f1;", (a, b, c) -> 1.0f / a);
    }

    @Test
    void leastAndGreatestPreferNumbersToNan() {
        same("min.f32 %f0, %f1, %f2;", (a, b, c) -> Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b));
        same("max.f32 %f0, %f1, %f2;", (a, b, c) -> Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b));
    }

    @Test
    void signsAreBitsAlsoOfNan() {
        int[] in = inputs(1);
        int[] negated = run("neg.f32 %f0, %f1;", in);
        int[] absolute = run("abs.f32 %f0, %f1;", in);
        int[] copied = run("copysign.f32 %f0, %f1, %f2;", in);
        for (int i = 0; i < COUNT; i++) {
            assertEquals(in[3 * i] ^ 0x8000_0000, negated[i]);
            assertEquals(in[3 * i] & 0x7FFF_FFFF, absolute[i]);
            assertEquals((in[3 * i + 1] & 0x7FFF_FFFF) | (in[3 * i] & 0x8000_0000), copied[i]);
        }
    }

    @Test
    void memoryAndMovesKeepThePayloadOfNan() {
        int[] in = inputs(2);
        int[] moved = run("mov.f32 %f4, %f1;\nmov.b32 %r6, %f4;\nmov.b32 %f0, %r6;", in);
        for (int i = 0; i < COUNT; i++) {
            assertEquals(in[3 * i], moved[i]);
        }
    }

    @Test
    void binary64RoundsAsJavaDoes() {
        String wide = "cvt.f64.f32 %fd1, %f1;\ncvt.f64.f32 %fd2, %f2;\ncvt.f64.f32 %fd3, %f3;\n";
        String back = "\ncvt.rn.f32.f64 %f0, %fd0;";
        same(wide + "add.rn.f64 %fd0, %fd1, %fd2;" + back, (a, b, c) -> (float) ((double) a + (double) b));
        same(wide + "sub.rn.f64 %fd0, %fd1, %fd2;" + back, (a, b, c) -> (float) ((double) a - (double) b));
        same(wide + "mul.rn.f64 %fd0, %fd1, %fd2;" + back, (a, b, c) -> (float) ((double) a * (double) b));
        same(wide + "div.rn.f64 %fd0, %fd1, %fd2;" + back, (a, b, c) -> (float) ((double) a / (double) b));
        same(wide + "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;" + back, (a, b, c) -> (float) Math.fma((double) a, b, c));
        same(wide + "sqrt.rn.f64 %fd0, %fd1;" + back, (a, b, c) -> (float) Math.sqrt(a));
    }

    @Test
    void conversionsClampAndRound() {
        int[] in = inputs(3);
        int[] toS32 = run("cvt.rzi.s32.f32 %r6, %f1;\nmov.b32 %f0, %r6;", in);
        int[] toU32 = run("cvt.rzi.u32.f32 %r6, %f1;\nmov.b32 %f0, %r6;", in);
        int[] nearest = run("cvt.rni.s32.f32 %r6, %f1;\nmov.b32 %f0, %r6;", in);
        int[] high = run(
                "cvt.rmi.s64.f32 %rd9, %f1;\nshr.u64 %rd9, %rd9, 32;\ncvt.u32.u64 %r6, %rd9;\nmov.b32 %f0, %r6;", in);
        int[] signed = run("mov.b32 %r6, %f1;\ncvt.rn.f32.s32 %f0, %r6;", in);
        int[] unsigned = run("mov.b32 %r6, %f1;\ncvt.rn.f32.u32 %f0, %r6;", in);
        for (int i = 0; i < COUNT; i++) {
            float x = Float.intBitsToFloat(in[3 * i]);
            assertEquals((int) x, toS32[i]);
            assertEquals((int) Math.max(0, Math.min(0xFFFF_FFFFL, (long) x)), toU32[i]);
            assertEquals(
                    (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, Math.rint((double) x))), nearest[i]);
            assertEquals((int) ((long) Math.floor(x) >> 32), high[i]);
            assertEquals(Float.floatToRawIntBits((float) in[3 * i]), signed[i]);
            assertEquals(Float.floatToRawIntBits((float) (in[3 * i] & 0xFFFF_FFFFL)), unsigned[i]);
        }
        same("cvt.rni.f32.f32 %f0, %f1;", (a, b, c) -> (float) Math.rint(a));
        same("cvt.rzi.f32.f32 %f0, %f1;", (a, b, c) -> (float) (a < 0 ? Math.ceil(a) : Math.floor(a)));
    }

    @Test
    void comparisonsKnowNan() {
        for (String name : "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split(" ", -1)) {
            same(
                    "setp.%s.f32 %%p1, %%f1, %%f2;\nselp.f32 %%f0, 0f3F800000, 0f00000000, %%p1;".formatted(name),
                    (a, b, c) -> compared(name, a, b) ? 1 : 0);
        }
        same(
                "setp.lt.and.f32 %p1|%p2, %f1, %f2, %p3;\nselp.f32 %f0, 0f3F800000, 0f00000000, %p2;",
                (a, b, c) -> 0); // %p3 is false, so both are
    }

    private static boolean compared(String name, float a, float b) {
        boolean nan = Float.isNaN(a) || Float.isNaN(b);
        String base = name.length() == 3 && name.endsWith("u") ? name.substring(0, 2) : name;
        return switch (name) {
            case "num" -> !nan;
            case "nan" -> nan;
            default -> nan ? !base.equals(name) : ordered(base, a, b);
        };
    }

    private static boolean ordered(String name, float a, float b) {
        return switch (name) {
            case "eq" -> a == b;
            case "ne" -> a != b;
            case "lt" -> a < b;
            case "le" -> a <= b;
            case "gt" -> a > b;
            case "ge" -> a >= b;
            default -> throw new IllegalArgumentException(name);
        };
    }
}
