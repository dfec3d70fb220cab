package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small vectors with answers known from the profile's text or from mathematics, on every backend. */
class ProfileVectorsTest {
    static List<BackendId> backends() {
        return Backends.available();
    }

    @ParameterizedTest
    @MethodSource("backends")
    void exactCombiningGivesTheVectorsOfTheProfile(BackendId id) {
        assertEquals("21800000", second(id, new float[] {1, 0x1p-60f}, new float[2]));
        assertEquals("00000000", second(id, new float[] {1, 0x1p-61f}, new float[2]));
        assertEquals("22000000", second(id, new float[] {1, 0x3p-61f}, new float[2]));
        try (Backend backend = Backends.create(id, 1)) {
            Tensor out = vector("out", new float[1]);
            backend.combineExact(
                    List.of(
                            vector("a", new float[] {1f}),
                            vector("b", new float[] {0x1p-24f}),
                            vector("c", new float[] {0x1p-59f})),
                    out);
            assertEquals(0x3f800001, Float.floatToRawIntBits(out.data()[0]));
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void exactCombiningDoesNotDependOnTheOrderOfWorkers(BackendId id) {
        SplittableRandom random = new SplittableRandom(11);
        List<Tensor> workers = List.of(
                vector("a", Values.CANCELLING.array(random, 70_000)),
                vector("b", Values.ORDINARY.array(random, 70_000)),
                vector("c", Values.TINY.array(random, 70_000)));
        try (Backend backend = Backends.create(id, 2)) {
            Tensor one = vector("one", new float[70_000]);
            Tensor two = vector("two", new float[70_000]);
            int[] exponents = backend.combineExact(workers, one);
            assertArrayEquals(exponents, backend.combineExact(workers.reversed(), two));
            assertEquals(Optional.empty(), Bits.firstDifference(one.data(), two.data()));
        }
    }

    /** Ascending order gives 1; other orders give 0 or 2. */
    @ParameterizedTest
    @MethodSource("backends")
    void oneTokenFourTimesAccumulatesInAscendingOrder(BackendId id) {
        for (int threads = 1; threads <= 16; threads *= 2) {
            try (Backend backend = Backends.create(id, threads)) {
                for (int run = 0; run < 20; run++) {
                    Tensor dTokens = Tensor.of("dTokens", Shape.of(2, 1), new float[2]);
                    Tensor dOut = Tensor.of("dOut", Shape.of(4, 1), new float[] {1e8f, 1f, -1e8f, 1f});
                    backend.embeddingGradient(
                            new EmbeddingGradient("case", dOut, DropoutSite.none(0), false, dTokens, Optional.empty()),
                            new OperatorContext(
                                    new MicroBatch(1, 4, new int[] {1, 1, 1, 1}, new int[4]), 0, 1, 0, 0, 1f));
                    assertArrayEquals(new float[] {0f, 1f}, dTokens.data());
                }
            }
        }
    }

    /** Every element of a product of ones is exactly K, however ragged K is: no tail is lost. */
    @ParameterizedTest
    @MethodSource("backends")
    void productsOfOnesCountTheirTerms(BackendId id) {
        int[] raggedKs = {1, 2, 3, 7, 15, 16, 17, 31, 63, 65, 127, 129, 255, 257, 511, 512, 513, 1023, 1025, 1537, 3000
        };
        try (Backend backend = Backends.create(id, 2)) {
            for (int k : raggedKs) {
                for (WeightLayout layout : WeightLayout.values()) {
                    Tensor y = Tensor.of("y", Shape.of(13, 17), new float[13 * 17]);
                    Tensor w = layout == WeightLayout.IN_OUT ? ones("w", k, 17) : ones("w", 17, k);
                    backend.linear(new Linear("case", ones("x", 13, k), w, Optional.empty(), layout, y));
                    for (float element : y.data()) {
                        assertEquals(k, element, "K = " + k + ", " + layout);
                    }
                }
            }
        }
    }

    /** A row has the same bits alone and inside any batch, first, in the middle or last. */
    @ParameterizedTest
    @MethodSource("backends")
    void aRowDoesNotDependOnTheBatchAroundIt(BackendId id) {
        int k = 3000;
        int outputs = 19;
        SplittableRandom random = new SplittableRandom(9);
        float[] row = Values.ORDINARY.array(random, k);
        Tensor w = Tensor.of("w", Shape.of(k, outputs), Values.ORDINARY.array(random, k * outputs));
        try (Backend backend = Backends.create(id, 2)) {
            float[] alone = product(backend, row, 1, w);
            for (int m : new int[] {3, 16, 31, 64, 255}) {
                float[] batch = Values.ORDINARY.array(random, m * k);
                for (int at : new int[] {0, m / 2, m - 1}) {
                    System.arraycopy(row, 0, batch, at * k, k);
                }
                float[] y = product(backend, batch, m, w);
                for (int at : new int[] {0, m / 2, m - 1}) {
                    float[] inside = Arrays.copyOfRange(y, at * outputs, (at + 1) * outputs);
                    assertEquals(Optional.empty(), Bits.firstDifference(alone, inside), "row " + at + " of " + m);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void aDotIsNeverMinusZero(BackendId id) {
        try (Backend backend = Backends.create(id, 1)) {
            Tensor y = Tensor.of("y", Shape.of(1, 1), new float[1]);
            Tensor x = Tensor.of("x", Shape.of(1, 1), new float[] {-0x1p-100f});
            Tensor w = Tensor.of("w", Shape.of(1, 1), new float[] {0x1p-100f});
            backend.linear(new Linear("case", x, w, Optional.empty(), WeightLayout.IN_OUT, y));
            assertEquals(0, Float.floatToRawIntBits(y.data()[0]));
        }
    }

    @ParameterizedTest
    @MethodSource("backends")
    void normAndLossChainTheirSegmentsInBinary64(BackendId id) {
        float[] ones = new float[3 * 65_536 + 1];
        Arrays.fill(ones, 0x1.001p0f);
        double segment = 65_536.0 * 0x1.001p0;
        try (Backend backend = Backends.create(id, 2)) {
            assertEquals(0.5 + segment + segment + segment + (double) 0x1.001p0f, backend.sum(vector("x", ones), 0.5));
        }
    }

    @Test
    void dropoutConstantsFollowTheRule() {
        DropoutRate rate = DropoutRate.of(0.1);
        assertEquals(3_865_470_566L, rate.threshold());
        assertEquals(0x3f8e38e4, Float.floatToRawIntBits(rate.scale()));
        assertEquals(0xffff_ffffL, DropoutRate.of(1e-12).threshold());
        assertEquals(false, DropoutRate.of(0).site(3).active());
    }

    private static float[] product(Backend backend, float[] rows, int m, Tensor w) {
        int k = w.rows();
        Tensor y = Tensor.of("y", Shape.of(m, w.columns()), new float[m * w.columns()]);
        backend.linear(
                new Linear("case", Tensor.of("x", Shape.of(m, k), rows), w, Optional.empty(), WeightLayout.IN_OUT, y));
        return y.data();
    }

    private static String second(BackendId id, float[] a, float[] b) {
        try (Backend backend = Backends.create(id, 1)) {
            Tensor out = vector("out", new float[a.length]);
            backend.combineExact(List.of(vector("a", a), vector("b", b)), out);
            return "%08x".formatted(Float.floatToRawIntBits(out.data()[1]));
        }
    }

    private static Tensor vector(String name, float[] data) {
        return Tensor.of(name, Shape.of(data.length), data);
    }

    private static Tensor ones(String name, int rows, int columns) {
        float[] data = new float[rows * columns];
        Arrays.fill(data, 1f);
        return Tensor.of(name, Shape.of(rows, columns), data);
    }
}
