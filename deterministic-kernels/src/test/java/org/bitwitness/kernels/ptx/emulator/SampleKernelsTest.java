package org.bitwitness.kernels.ptx.emulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What nvcc makes of samples.cu, run in every order of threads, against Java; and altered, which must be noticed. */
final class SampleKernelsTest {
    private static final String SAMPLES = Ptx.samples();
    private static final int M = 11;
    private static final int N = 13;
    private static final int DEPTH = 21;
    private static final int ROWS = 5;
    private static final int COLUMNS = 203;

    static Stream<EmulatorOptions> everyOrder() {
        return Stream.of(
                EmulatorOptions.fast(1),
                EmulatorOptions.fast(3),
                EmulatorOptions.withChecks(),
                EmulatorOptions.withChecks(ThreadOrder.forward()),
                EmulatorOptions.withChecks(ThreadOrder.reverse()),
                EmulatorOptions.withChecks(ThreadOrder.random(1)),
                EmulatorOptions.withChecks(ThreadOrder.random(2)),
                EmulatorOptions.withChecks(ThreadOrder.random(3)));
    }

    private static float[] floats(long seed, int count) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (random.nextFloat() - 0.5f) * (1 << random.nextInt(12));
        }
        return values;
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    private static int[] product(EmulatorOptions options, String ptx) {
        float[] a = floats(4, M * DEPTH);
        float[] b = floats(5, DEPTH * N);
        try (EmulatedDevice device = new EmulatedDevice(options);
                GpuBuffer left = device.allocate(4L * a.length);
                GpuBuffer right = device.allocate(4L * b.length);
                GpuBuffer out = device.allocate(4L * M * N)) {
            device.load(Ptx.module(ptx));
            device.copyIn(a, 0, a.length, left, 0);
            device.copyIn(b, 0, b.length, right, 0);
            device.launch(new KernelLaunch(
                    "tile_product",
                    Grid.of(2, 2),
                    Block.of(8, 8),
                    List.of(
                            KernelArg.of(left),
                            KernelArg.of(right),
                            KernelArg.of(out),
                            KernelArg.of(M),
                            KernelArg.of(N),
                            KernelArg.of(DEPTH))));
            int[] result = new int[M * N];
            device.copyOut(out, 0, result, 0, result.length);
            return result;
        }
    }

    private static int[] expectedProduct() {
        float[] a = floats(4, M * DEPTH);
        float[] b = floats(5, DEPTH * N);
        float[] c = new float[M * N];
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < DEPTH; k++) {
                    c[i * N + j] = Math.fma(a[i * DEPTH + k], b[k * N + j], c[i * N + j]);
                }
            }
        }
        return bits(c);
    }

    private static int[] sums(EmulatorOptions options, String ptx) {
        float[] x = floats(6, ROWS * COLUMNS);
        return one(options, ptx, "row_sums", Grid.of(ROWS), Block.of(64), bits(x), ROWS, COLUMNS);
    }

    private static int[] expectedSums() {
        float[] x = floats(6, ROWS * COLUMNS);
        float[] y = new float[ROWS];
        for (int row = 0; row < ROWS; row++) {
            float[] s = new float[64];
            for (int i = 0; i < COLUMNS; i++) {
                s[i % 64] += x[row * COLUMNS + i];
            }
            for (int w = 16; w > 0; w >>= 1) {
                float[] before = s.clone();
                for (int t = 0; t < 64; t++) {
                    s[t] = before[t] + before[t ^ w];
                }
            }
            y[row] = s[0] + s[32];
        }
        return bits(y);
    }

    private static int[] terms(EmulatorOptions options, String ptx) {
        return one(options, ptx, "few_terms", Grid.of(3), Block.of(32), bits(floats(7, 82)), 240, 80);
    }

    private static int[] expectedTerms() {
        float[] x = floats(7, 82);
        float[] y = new float[240];
        for (int i = 0; i < 80; i++) {
            float sum = (x[i] + x[i + 1]) + x[i + 2];
            float mixed = x[i] * x[i + 1] + x[i + 2];
            y[i] = (float) Math.sqrt(Math.abs(sum)) / mixed;
            y[80 + i] = sum;
            y[160 + i] = mixed;
        }
        return bits(y);
    }

    private static int[] one(
            EmulatorOptions options, String ptx, String kernel, Grid grid, Block block, int[] in, int outs, int n) {
        try (EmulatedDevice device = new EmulatedDevice(options);
                GpuBuffer input = device.allocate(4L * in.length);
                GpuBuffer output = device.allocate(4L * outs)) {
            device.load(Ptx.module(ptx));
            device.copyIn(in, 0, in.length, input, 0);
            device.launch(new KernelLaunch(
                    kernel, grid, block, List.of(KernelArg.of(input), KernelArg.of(output), KernelArg.of(n))));
            int[] out = new int[outs];
            device.copyOut(output, 0, out, 0, outs);
            return out;
        }
    }

    @ParameterizedTest
    @MethodSource("everyOrder")
    void everyOrderOfThreadsGivesJavasBits(EmulatorOptions options) {
        assertArrayEquals(expectedProduct(), product(options, SAMPLES));
        assertArrayEquals(expectedSums(), sums(options, SAMPLES));
        assertArrayEquals(expectedTerms(), terms(options, SAMPLES));
    }

    @ParameterizedTest
    @MethodSource("everyOrder")
    void integersOfAllWidthsAgreeWithJava(EmulatorOptions options) {
        int n = 75;
        int[] x = new Random(8).ints(n).toArray();
        x[3] = 0;
        x[4] = -1;
        try (EmulatedDevice device = new EmulatedDevice(options);
                GpuBuffer input = device.allocate(4L * n);
                GpuBuffer longs = device.allocate(8L * n);
                GpuBuffer bytes = device.allocate(24L * n + 16)) {
            device.load(Ptx.module(SAMPLES));
            device.copyIn(x, 0, n, input, 0);
            // Quads need 16 bytes of alignment behind 8 n bytes.
            device.launch(new KernelLaunch(
                    "mix_bits",
                    Grid.of(3),
                    Block.of(32),
                    List.of(
                            KernelArg.of(input),
                            KernelArg.of(longs),
                            KernelArg.of(bytes, (16 - 8 * n % 16) % 16),
                            KernelArg.of(n))));
            int[] out = new int[2 * n];
            device.copyOut(longs, 0, out, 0, out.length);
            int[] quads = new int[4 * n];
            device.copyOut(bytes, (16 - 8 * n % 16) % 16 + 8L * n, quads, 0, quads.length);
            for (int i = 0; i < n; i++) {
                int r = mixed(x[i], i);
                long y = folded(x[i], r, i);
                assertArrayEquals(new int[] {(int) y, (int) (y >>> 32)}, Arrays.copyOfRange(out, 2 * i, 2 * i + 2));
                assertArrayEquals(new int[] {r, x[i], r + x[i], r - x[i]}, Arrays.copyOfRange(quads, 4 * i, 4 * i + 4));
            }
        }
    }

    private static int mixed(int v, int i) {
        int[] table = {0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57};
        int r = Integer.rotateRight(v, 7) ^ shifted(v, i) ^ (v >>> 3);
        r = (r & v) ^ (~r & table[v & 3]);
        byte[] b = new byte[8];
        for (int k = 0; k < 4; k++) {
            b[k] = (byte) (v >>> (8 * k));
            b[4 + k] = (byte) (r >>> (8 * k));
        }
        int permuted = (b[0] & 255) | ((b[5] & 255) << 8) | ((b[2] & 255) << 16) | ((b[7] & 255) << 24);
        r ^= (int) (((v & 0xFFFFFFFFL) * 0xD2511F53L) >>> 32)
                + permuted
                + Integer.bitCount(v)
                + Integer.numberOfLeadingZeros(v)
                + Integer.reverse(v);
        switch (Integer.remainderUnsigned(v, 5)) {
            case 0 -> r += 17;
            case 1 -> r = r * 31 + v;
            case 2 -> r ^= 0x55aa55aa;
            default -> r -= Integer.divideUnsigned(v, 7);
        }
        return r;
    }

    /** __funnelshift_l(low, high, 5): the upper word of the pair, shifted left. */
    private static int shifted(int low, int high) {
        return (high << 5) | (low >>> 27);
    }

    private static long folded(int v, int r, int i) {
        long s = (long) r * v - i;
        long unsigned = v & 0xFFFFFFFFL;
        long f = (s >>> 29) * unsigned + Math.unsignedMultiplyHigh(s, 0x9E3779B97F4A7C15L);
        return f ^ (s % 1000003) ^ (s >> 7);
    }

    @Test
    void shufflesAndVotesFollowTheirDefinitions() {
        int[] x = new Random(9).ints(32, 0, 1000).toArray();
        int[] expected = new int[32];
        int odd = 0;
        boolean all = true;
        for (int l = 0; l < 32; l++) {
            odd |= (x[l] & 1) << l;
            all &= x[l] > 2;
        }
        for (int l = 0; l < 32; l++) {
            int up = l >= 3 ? x[l - 3] : x[l];
            int down = (l & 15) + 5 < 16 ? x[l + 5] : x[l];
            int other = x[(l & ~7) | (x[l] & 7)];
            expected[l] = odd + up * 3 + down * 5 + other * 7 + (all ? 11 : 0);
        }
        try (EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks(ThreadOrder.random(5)));
                GpuBuffer in = device.allocate(128);
                GpuBuffer out = device.allocate(128)) {
            device.load(Ptx.module(SAMPLES));
            device.copyIn(x, 0, 32, in, 0);
            device.launch(
                    new KernelLaunch("votes", Grid.of(1), Block.of(32), List.of(KernelArg.of(in), KernelArg.of(out))));
            int[] found = new int[32];
            device.copyOut(out, 0, found, 0, 32);
            assertArrayEquals(expected, found);
        }
    }

    @Test
    void noticesEveryDroppedBarrier() {
        for (int i = 1; i <= Ptx.occurrences(SAMPLES, "bar.sync"); i++) {
            String ptx = Ptx.mutated(SAMPLES, "bar.sync \t0;", "", i);
            GpuException e = assertThrows(GpuException.class, () -> {
                sums(EmulatorOptions.withChecks(), ptx);
                product(EmulatorOptions.withChecks(), ptx);
            });
            String message = e.failure().message();
            assertTrue(message.contains("RACE") || message.contains("UNINITIALISED"), message);
        }
    }

    @Test
    void noticesEveryDroppedRounding() {
        for (int i = 1; i <= Ptx.occurrences(SAMPLES, ".rn.f32"); i++) {
            String ptx = Ptx.mutated(SAMPLES, ".rn.f32", ".f32", i);
            GpuException e = assertThrows(GpuException.class, () -> terms(EmulatorOptions.fast(1), ptx));
            assertTrue(
                    e.failure().message().contains("the rounding is not stated"),
                    e.failure().message());
        }
    }

    @Test
    void noticesSwappedAdditionsByTheirBits() {
        assertTrue(SAMPLES.contains("add.rn.f32 \t%f3, %f2, %f1;") && SAMPLES.contains("add.rn.f32 \t%f5, %f3, %f4;"));
        String first = Ptx.mutated(SAMPLES, "add.rn.f32 \t%f5, %f3, %f4;", "add.rn.f32 \t%f5, %f3, %f2;", 1);
        int at = first.indexOf("add.rn.f32 \t%f3, %f2, %f1;");
        int load = first.indexOf("ld.global.f32 \t%f4");
        // (x1 + x2) + x0 in place of (x0 + x1) + x2, once x2 is there.
        String swapped = first.substring(0, at) + first.substring(load, first.indexOf(';', load) + 1)
                + "\nadd.rn.f32 %f3, %f1, %f4;" + first.substring(at + 26);
        assertFalse(Arrays.equals(expectedTerms(), terms(EmulatorOptions.withChecks(), swapped)));
    }

    @Test
    void noticesAContractedProductByItsBits() {
        String contracted = Ptx.mutated(SAMPLES, "add.rn.f32 \t%f7, %f4, %f6;", "fma.rn.f32 \t%f7, %f2, %f1, %f4;", 1);
        assertFalse(Arrays.equals(expectedTerms(), terms(EmulatorOptions.withChecks(), contracted)));
    }

    @Test
    void noticesLoopBoundsThatAreOffByOne() {
        // One turn more over a row reads the next row, or behind the last one.
        String sum = Ptx.mutated(
                SAMPLES, "setp.lt.s32 \t%p2, %r29, %r4;", "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r29, %r4;", 1);
        assertDiffersOrFails(expectedSums(), () -> sums(EmulatorOptions.withChecks(), sum));
        // A tile less.
        int at = SAMPLES.indexOf("tile_product(");
        String tail = SAMPLES.substring(at);
        String product = SAMPLES.substring(0, at) + tail.replace("setp.lt.s32 \t%p8", "setp.gt.s32 \t%p8");
        assertFalse(product.equals(SAMPLES));
        assertDiffersOrFails(expectedProduct(), () -> product(EmulatorOptions.withChecks(), product));
        // A shuffle distance short.
        String shuffle = Ptx.mutated(SAMPLES, "mov.u32 \t%r21, 1;", "mov.u32 \t%r21, 2;", 1);
        assertDiffersOrFails(expectedSums(), () -> sums(EmulatorOptions.withChecks(), shuffle));
    }

    private interface Run {
        int[] result();
    }

    private static void assertDiffersOrFails(int[] expected, Run run) {
        try {
            assertFalse(Arrays.equals(expected, run.result()));
        } catch (GpuException e) {
            assertTrue(e.failure().message().contains("PTX line"), e.failure().message());
        }
    }
}
