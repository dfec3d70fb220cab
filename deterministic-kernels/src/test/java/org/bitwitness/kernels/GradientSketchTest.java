package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.random.Philox4x32;
import org.bitwitness.protocol.record.DetectorInputs;
import org.junit.jupiter.api.Test;

/** The sketch against a second one that looks at one element at a time, and against a program in another language. */
class GradientSketchTest {
    private static final ParameterManifest MANIFEST =
            GoldenFiles.config("gpt2", 1).manifest();
    private static final long SEED = 0xFEDC_BA98_7654_3210L;
    private static final int ROW = 1024;

    @Test
    void agreesWithASketchThatLooksAtOneElementAtATime() {
        long seed = 41;
        Random random = new Random(seed);
        for (int round = 0; round < 4; round++) {
            float[] values = new float[size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.scalb(random.nextFloat() - 0.5f, random.nextInt(200) - 100);
            }
            long key = random.nextLong();
            GradientSketch found = GradientSketch.of(gradients(values), key);
            GradientSketch expected = elementwise(values, key);
            assertArrayEquals(expected.sketch(), found.sketch(), "seed " + seed);
            assertEquals(expected.norm(), found.norm(), "seed " + seed);
        }
    }

    /** From a program in Python, written from docs/formats.md. */
    @Test
    void theSketchIsFixedForEver() {
        float[] values = new float[size()];
        for (int i = 0; i < values.length; i++) {
            int hash = (int) (i * 2_654_435_761L);
            values[i] = Math.scalb((hash >>> 8) / 16_777_216f - 0.5f, i % 7);
        }
        GradientSketch found = GradientSketch.of(gradients(values), SEED);
        assertEquals("409527b6487622fd", "%016x".formatted(Double.doubleToRawLongBits(found.norm())));
        assertEquals(-67.624306f, found.sketch()[0]);
        assertEquals(-9.349637f, found.sketch()[1]);
        assertEquals(-26.663921f, found.sketch()[1023]);
        assertEquals(
                "9239c4efcda34a32d6d9cf89457413a29415abeb42db5f4bc8fe4f4e63cb3b15",
                DetectorInputs.digest(List.of(new DetectorInputs(new WorkerId(2), found.norm(), found.sketch())))
                        .hex());
    }

    @Test
    void dotProductsOfSketchesAreNearThoseOfTheGradients() {
        Random random = new Random(43);
        float[] a = new float[size()];
        float[] b = new float[size()];
        for (int i = 0; i < a.length; i++) {
            a[i] = (float) random.nextGaussian();
            b[i] = (float) (0.8 * a[i] + 0.6 * random.nextGaussian());
        }
        double exact = cosine(a, b);
        double estimate = cosine(
                GradientSketch.of(gradients(a), SEED).sketch(),
                GradientSketch.of(gradients(b), SEED).sketch());
        assertEquals(exact, estimate, 0.1);
    }

    @Test
    void everyNanIsOneNanAndZerosHaveNoSign() {
        float[] values = new float[size()];
        values[3] = Float.intBitsToFloat(0xffc0_1234);
        GradientSketch found = GradientSketch.of(gradients(values), SEED);
        int nans = 0;
        for (float x : found.sketch()) {
            int bits = Float.floatToRawIntBits(x);
            assertTrue(bits == 0 || bits == 0x7fc0_0000, Integer.toHexString(bits));
            nans += bits == 0 ? 0 : 1;
        }
        assertEquals(1, nans);
        assertEquals(0x7ff8_0000_0000_0000L, Double.doubleToRawLongBits(found.norm()));
    }

    private static GradientSketch elementwise(float[] values, long seed) {
        double[] sums = new double[ROW];
        double[] squares = new double[ROW];
        int[] words = new int[4];
        for (int i = 0; i < values.length; i++) {
            int row = i / ROW;
            int place = i % ROW;
            Philox4x32.block(row, 0, place / 128, 0x4000_0003, (int) seed, (int) (seed >>> 32), words);
            boolean minus = (words[place % 128 / 32] >>> (place % 32) & 1) == 1;
            Philox4x32.block(row, 0, 8, 0x4000_0003, (int) seed, (int) (seed >>> 32), words);
            int bucket = (int) ((place + (words[0] & 0xFFFF_FFFFL) % ROW) % ROW);
            sums[bucket] = minus ? sums[bucket] - values[i] : sums[bucket] + values[i];
            squares[place] += (double) values[i] * values[i];
        }
        float[] sketch = new float[ROW];
        double sum = 0;
        for (int i = 0; i < ROW; i++) {
            sketch[i] = (float) sums[i];
            sum += squares[i];
        }
        return new GradientSketch(Math.sqrt(sum), sketch);
    }

    private static double cosine(float[] a, float[] b) {
        double ab = 0;
        double aa = 0;
        double bb = 0;
        for (int i = 0; i < a.length; i++) {
            ab += (double) a[i] * b[i];
            aa += (double) a[i] * a[i];
            bb += (double) b[i] * b[i];
        }
        return ab / Math.sqrt(aa * bb);
    }

    private static int size() {
        return MANIFEST.parameters().stream().mapToInt(Parameter::size).sum();
    }

    private static Gradients gradients(float[] values) {
        Gradients gradients = Gradients.zero(MANIFEST);
        int at = 0;
        for (int i = 0; i < MANIFEST.count(); i++) {
            float[] tensor = gradients.tensor(i);
            System.arraycopy(values, at, tensor, 0, tensor.length);
            at += tensor.length;
        }
        return gradients;
    }
}
