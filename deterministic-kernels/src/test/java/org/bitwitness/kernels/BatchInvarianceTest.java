package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A row computed alone has the bits it has inside any batch, at any place of it, with any number of threads: for a row of
 * every row-wise operator and for a sequence of every attention. Dropout is left out: its masks are numbered by the place.
 */
class BatchInvarianceTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_301L);

    /** One sequence or one row of everything that an operator reads; outputs are found by their NaN. */
    private interface RowOperator {
        /** Runs on {@code rows} rows; {@code make} gives the tensors that have a row for every token. */
        void run(Backend backend, Rows rows);
    }

    /** Tensors cut from a full batch: rows {@code [first, first + count)}. */
    private static final class Rows {
        private final int first;
        private final int count;
        private final List<Tensor> outputs = new ArrayList<>();

        Rows(int first, int count) {
            this.first = first;
            this.count = count;
        }

        /** Rows of the random tensor {@code number}, the same whatever was cut. */
        Tensor input(int number, int width) {
            float[] data = new float[count * width];
            for (int row = 0; row < count; row++) {
                SplittableRandom random = new SplittableRandom(SEED + 1_000_003L * number + first + row);
                System.arraycopy(Values.ORDINARY.array(random, width), 0, data, row * width, width);
            }
            return Tensor.of("input" + number, Shape.of(count, width), data);
        }

        Tensor output(int width) {
            float[] data = new float[count * width];
            Arrays.fill(data, Float.NaN);
            return watched(Tensor.of("output" + outputs.size(), Shape.of(count, width), data));
        }

        Tensor watched(Tensor tensor) {
            outputs.add(tensor);
            return tensor;
        }

        MicroBatch batch(int length, int vocab) {
            int[] ids = new int[count];
            for (int n = 0; n < count; n++) {
                ids[n] = new SplittableRandom(SEED + first + n).nextInt(vocab);
            }
            return new MicroBatch(count / length, length, ids, ids);
        }
    }

    private static final int WIDTH = 97;
    private static final int OUT = 45;
    private static final int VOCAB = 131;
    private static final DropoutSite NONE = DropoutSite.none(0);

    private static Tensor shared(int number, int... extents) {
        Shape shape = extents.length == 1 ? Shape.of(extents[0]) : Shape.of(extents[0], extents[1]);
        SplittableRandom random = new SplittableRandom(SEED - number);
        return Tensor.of("shared" + number, shape, Values.ORDINARY.array(random, (int) shape.elementCount()));
    }

    private static OperatorContext context(MicroBatch batch) {
        return new OperatorContext(batch, 1, 1, 0, 0, 1f / 64);
    }

    private static RowOperator operator(String name) {
        return switch (name) {
            case "embedding" ->
                (backend, rows) -> backend.embedding(
                        new Embedding("row", shared(1, VOCAB, WIDTH), Optional.empty(), NONE, rows.output(WIDTH)),
                        context(rows.batch(1, VOCAB)));
            case "linear" ->
                (backend, rows) -> backend.linear(new Linear(
                        "row",
                        rows.input(1, WIDTH),
                        shared(1, WIDTH, OUT),
                        Optional.of(shared(2, OUT)),
                        WeightLayout.IN_OUT,
                        rows.output(OUT)));
            case "linearInputGradient" ->
                (backend, rows) -> backend.linearInputGradient(new LinearInputGradient(
                        "row",
                        rows.input(1, OUT),
                        shared(1, OUT, WIDTH),
                        WeightLayout.OUT_IN,
                        true,
                        rows.watched(rows.input(2, WIDTH))));
            case "layerNorm" ->
                (backend, rows) -> backend.layerNorm(new LayerNorm(
                        "row",
                        rows.input(1, WIDTH),
                        shared(1, WIDTH),
                        shared(2, WIDTH),
                        1e-5f,
                        rows.output(WIDTH),
                        rows.output(1),
                        rows.output(1)));
            case "layerNormGradient" ->
                (backend, rows) -> backend.layerNormGradient(new LayerNormGradient(
                        "row",
                        rows.input(1, WIDTH),
                        rows.input(2, WIDTH),
                        shared(1, WIDTH),
                        rows.input(3, 1),
                        rows.input(4, 1),
                        true,
                        rows.watched(rows.input(5, WIDTH)),
                        shared(2, WIDTH),
                        shared(3, WIDTH)));
            case "rmsNorm" ->
                (backend, rows) -> backend.rmsNorm(new RmsNorm(
                        "row", rows.input(1, WIDTH), shared(1, WIDTH), 1e-6f, rows.output(WIDTH), rows.output(1)));
            case "rmsNormGradient" ->
                (backend, rows) -> backend.rmsNormGradient(new RmsNormGradient(
                        "row",
                        rows.input(1, WIDTH),
                        rows.input(2, WIDTH),
                        shared(1, WIDTH),
                        rows.input(3, 1),
                        false,
                        rows.output(WIDTH),
                        shared(2, WIDTH)));
            case "gelu" -> (backend, rows) -> backend.gelu(new Gelu("row", rows.input(1, WIDTH), rows.output(WIDTH)));
            case "geluGradient" ->
                (backend, rows) -> backend.geluGradient(
                        new GeluGradient("row", rows.input(1, WIDTH), rows.input(2, WIDTH), rows.output(WIDTH)));
            case "swiGlu" ->
                (backend, rows) -> backend.swiGlu(
                        new SwiGlu("row", rows.input(1, WIDTH), rows.input(2, WIDTH), rows.output(WIDTH)));
            case "swiGluGradient" ->
                (backend, rows) -> backend.swiGluGradient(new SwiGluGradient(
                        "row",
                        rows.input(1, WIDTH),
                        rows.input(2, WIDTH),
                        rows.input(3, WIDTH),
                        rows.output(WIDTH),
                        rows.output(WIDTH)));
            case "residual" ->
                (backend, rows) -> backend.dropoutAdd(
                        new DropoutAdd("row", rows.input(1, WIDTH), rows.input(2, WIDTH), NONE, rows.output(WIDTH)),
                        context(rows.batch(1, 2)));
            case "crossEntropy" ->
                (backend, rows) -> backend.crossEntropy(
                        new CrossEntropy("row", rows.input(1, VOCAB), rows.output(1), rows.output(VOCAB)),
                        context(rows.batch(1, VOCAB)));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static RowOperator sequences(String name, int length) {
        int dim = 10;
        return (backend, rows) -> {
            AttentionShape shape = new AttentionShape(rows.count / length, length, 4, 2, dim);
            OperatorContext context = context(rows.batch(length, 2));
            if (name.equals("rope")) {
                Tensor x = rows.watched(rows.input(1, 4 * dim));
                backend.rope(new Rope("row", shape, shared(1, length, dim / 2), shared(2, length, dim / 2), true, x));
                return;
            }
            HeadsView q = new HeadsView(rows.input(1, 8 * dim), 0);
            HeadsView k = new HeadsView(q.tensor(), 4 * dim);
            HeadsView v = new HeadsView(q.tensor(), 6 * dim);
            // Row statistics have four numbers per token, head after head inside a sequence.
            Tensor max = rows.output(4);
            Tensor sum = rows.output(4);
            Attention forward = new Attention("row", shape, q, k, v, 0.3f, NONE, rows.output(4 * dim), max, sum);
            backend.attention(forward, context);
            if (name.equals("attentionGradient")) {
                Tensor d = rows.output(8 * dim);
                backend.attentionGradient(
                        new AttentionGradient(
                                "row",
                                forward,
                                rows.input(2, 4 * dim),
                                new HeadsView(d, 0),
                                new HeadsView(d, 4 * dim),
                                new HeadsView(d, 6 * dim)),
                        context);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "embedding",
                "linear",
                "linearInputGradient",
                "layerNorm",
                "layerNormGradient",
                "rmsNorm",
                "rmsNormGradient",
                "gelu",
                "geluGradient",
                "swiGlu",
                "swiGluGradient",
                "residual",
                "crossEntropy"
            })
    void aRowHasTheSameBitsAloneAndInAnyBatch(String name) {
        everywhere(name, operator(name), 1, new int[] {1, 2, 11, 12, 13, 64, 130});
    }

    @ParameterizedTest
    @CsvSource({
        "rope,7",
        "attention,1",
        "attention,29",
        "attention,131",
        "attentionGradient,29",
        "attentionGradient,131"
    })
    void aSequenceHasTheSameBitsAloneAndInAnyBatch(String name, int length) {
        everywhere(name, sequences(name, length), length, new int[] {1, 2, 5});
    }

    /** The fault that the comparison is for: another kernel for one row than for many. */
    @Test
    void aKernelChosenByTheSizeOfTheBatchIsCaught() {
        Backend byK = Mutants.named("linear: no chunks");
        Backend backend = Backends.create(BackendId.REFERENCE, 1);
        RowOperator chosen = (any, rows) -> {
            Tensor x = rows.input(1, 700);
            Linear op = new Linear("row", x, shared(1, 700, 3), Optional.empty(), WeightLayout.IN_OUT, rows.output(3));
            (rows.count == 1 ? byK : backend).linear(op);
        };
        assertEquals(
                false,
                differences("linear", chosen, backend, new int[] {1, 1, 4}).isEmpty());
    }

    /**
     * Field report: a CPU product of the same rows changed bits with the batch (PyTorch issue 45422). One row inside M rows,
     * K = 3000, at the first, a middle and the last place.
     */
    @Test
    void rowResultDoesNotDependOnTheNumberOfRowsBesideIt() {
        RowOperator operator = (backend, rows) -> backend.linear(new Linear(
                "row", rows.input(1, 3000), shared(1, 3000, 7), Optional.empty(), WeightLayout.IN_OUT, rows.output(7)));
        everywhere("linear of 3000 inputs", operator, 1, new int[] {1, 3, 16, 31, 64, 255});
    }

    private static void everywhere(String name, RowOperator operator, int unit, int[] batches) {
        List<String> differences = new ArrayList<>();
        for (BackendId id : Backends.available()) {
            for (int threads : id == BackendId.REFERENCE ? new int[] {1} : new int[] {1, 2, 4}) {
                try (Backend backend = Backends.create(id, threads)) {
                    for (int units : batches) {
                        for (int place : new int[] {0, units / 2, units - 1}) {
                            differences.addAll(differences(name, operator, backend, new int[] {unit, place, units}));
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), differences);
    }

    /** {@code cut} is rows per unit, the unit's place, units in the batch. The unit is the same one everywhere. */
    private static List<String> differences(String name, RowOperator operator, Backend backend, int[] cut) {
        int unit = cut[0];
        Rows alone = new Rows(0, unit);
        Rows inside = new Rows(-cut[1] * unit, cut[2] * unit);
        operator.run(backend, alone);
        operator.run(backend, inside);
        List<String> differences = new ArrayList<>();
        for (int t = 0; t < alone.outputs.size(); t++) {
            int output = t;
            float[] expected = alone.outputs.get(t).data();
            int from = cut[1] * expected.length;
            float[] computed = Arrays.copyOfRange(inside.outputs.get(t).data(), from, from + expected.length);
            Bits.firstDifference(expected, computed)
                    .ifPresent(
                            d -> differences.add("%s on %s with %d threads, unit %d of %d, output %d: %s, tests.seed=%d"
                                    .formatted(
                                            name,
                                            backend.id().text(),
                                            backend.threads(),
                                            cut[1],
                                            cut[2],
                                            output,
                                            d,
                                            SEED)));
        }
        return differences;
    }
}
