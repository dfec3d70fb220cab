package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;

/**
 * Faults that people reported of other libraries, as tests of ours: named after the symptom. Rows that depend on the batch
 * stand in {@link BatchInvarianceTest}, native libraries that change the CPU's float mode in {@link NativeFloatModeTest},
 * vector instructions that are wrong only when compiled in {@link JvmModesTest}.
 */
class FieldReportTest {
    private static final Pattern UNORDERED = Pattern.compile("reduceLanes\\(\\s*(VectorOperators\\.)?(ADD|MUL)\\b");

    /** PyTorch pull request 171381: gradients of one token summed in the order in which threads arrive. */
    @Test
    void sumsTheGradientsOfARepeatedTokenInOrderWithAnyNumberOfThreads() {
        float[] gradients = {1e8f, 1f, -1e8f, 1f};
        for (BackendId id : Backends.available()) {
            for (int threads = 1; threads <= (id == BackendId.REFERENCE ? 1 : 16); threads++) {
                try (Backend backend = Backends.create(id, threads)) {
                    for (int run = 0; run < 100; run++) {
                        assertEquals(1f, repeatedToken(backend, gradients), id.text() + ", run " + run);
                    }
                    // Twin: other orders give other sums.
                    assertEquals(0f, repeatedToken(backend, new float[] {1f, 1e8f, 1f, -1e8f}));
                    assertEquals(2f, repeatedToken(backend, new float[] {1e8f, -1e8f, 1f, 1f}));
                }
            }
        }
    }

    private static float repeatedToken(Backend backend, float[] gradients) {
        int width = 33;
        float[] d = new float[4 * width];
        for (int i = 0; i < d.length; i++) {
            d[i] = gradients[i / width];
        }
        Tensor table = filled("dTokens", Float.NaN, 6, width);
        MicroBatch batch = new MicroBatch(1, 4, new int[] {5, 5, 5, 5}, new int[4]);
        backend.embeddingGradient(
                new EmbeddingGradient(
                        "tokens",
                        Tensor.of("d", Shape.of(4, width), d),
                        DropoutSite.none(0),
                        false,
                        table,
                        Optional.empty()),
                new OperatorContext(batch, 0, 1, 0, 0, 1f));
        float[] row = Arrays.copyOfRange(table.data(), 5 * width, 6 * width);
        for (float value : row) {
            assertEquals(row[0], value);
        }
        return row[0];
    }

    /** Triton pull request 2767: products that sum too few terms where k is no multiple of the tile. */
    @Test
    void productOfOnesCountsEveryTermForEveryRaggedLength() {
        List<Integer> lengths = new ArrayList<>();
        for (int k = 1; k <= 70; k++) {
            lengths.add(k);
        }
        for (int centre : new int[] {127, 255, 384, 511, 768, 1023, 1536, 2047, 3001, 4097}) {
            for (int k = centre - 2; k <= centre + 3; k++) {
                lengths.add(k);
            }
        }
        for (BackendId id : Backends.available()) {
            for (int threads : id == BackendId.REFERENCE ? new int[] {1} : new int[] {1, 3}) {
                try (Backend backend = Backends.create(id, threads)) {
                    for (int k : lengths) {
                        onesCount(backend, k, 13, 33);
                    }
                }
            }
        }
    }

    private static void onesCount(Backend backend, int k, int m, int n) {
        for (WeightLayout layout : WeightLayout.values()) {
            boolean inOut = layout == WeightLayout.IN_OUT;
            Tensor y = filled("y", Float.NaN, m, n);
            Tensor w = inOut ? filled("w", 1f, k, n) : filled("w", 1f, n, k);
            backend.linear(new Linear("ones", filled("x", 1f, m, k), w, Optional.empty(), layout, y));
            allAre(k, y, "linear");
            Tensor dx = filled("dx", Float.NaN, m, n);
            Tensor back = inOut ? filled("w", 1f, n, k) : filled("w", 1f, k, n);
            backend.linearInputGradient(
                    new LinearInputGradient("ones", filled("dy", 1f, m, k), back, layout, false, dx));
            allAre(k, dx, "linear input gradient");
            Tensor dw = inOut ? filled("dw", Float.NaN, m, n) : filled("dw", Float.NaN, n, m);
            Tensor bias = filled("dBias", Float.NaN, n);
            backend.linearWeightGradient(new LinearWeightGradient(
                    "ones", filled("x", 1f, k, m), filled("dy", 1f, k, n), layout, dw, Optional.of(bias)));
            allAre(k, dw, "linear weight gradient");
            allAre(k, bias, "bias gradient");
        }
    }

    private static void allAre(int k, Tensor tensor, String what) {
        for (int i = 0; i < tensor.size(); i++) {
            assertEquals((float) k, tensor.data()[i], what + " with k = " + k + ", element " + i);
        }
    }

    /** OpenJDK pull request 11663 changed the order in which lanes are summed: nothing may use that order. */
    @Test
    void noKernelUsesALaneReductionWhoseOrderTheJvmChooses() throws IOException {
        Path sources =
                Path.of(System.getProperty("bitwitness.home", ".")).resolve("deterministic-kernels/src/main/java");
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                if (unordered(Files.readString(file))) {
                    found.add(file.toString());
                }
            }
        }
        assertEquals(List.of(), found);
        assertTrue(unordered("float s = v.reduceLanes(ADD);"));
    }

    private static boolean unordered(String source) {
        return UNORDERED.matcher(source).find();
    }

    private static Tensor filled(String name, float value, long... extents) {
        Shape shape = Shape.of(extents);
        float[] data = new float[(int) shape.elementCount()];
        Arrays.fill(data, value);
        return Tensor.of(name, shape, data);
    }
}
