package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.Dropout;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator with every tensor of it made too large, made one with another, or full of NaN, and with token ids that do
 * not exist: an error that says what is wrong, or a right result; never silence.
 */
class OperatorArgumentsTest {
    /** Shapes that an operator reads from this very tensor, so that another one is another operator, not a mistake. */
    private static final Set<String> FREE = Set.of(
            "Embedding.tokens rows", // any vocabulary
            "Embedding.positions rows", // any context
            "Embedding.out rows", // checked against the micro-batch
            "EmbeddingGradient.dTokens rows",
            "EmbeddingGradient.dPositions rows",
            "EmbeddingGradient.dOut rows",
            "Attention.q columns", // room beside the heads
            "Attention.k columns",
            "Attention.v columns",
            "AttentionGradient.dq columns",
            "AttentionGradient.dk columns",
            "AttentionGradient.dv columns");

    /** Results that may take the place of an operand, as the operators' documentation says. */
    private static final Set<String> IN_PLACE = Set.of(
            "Gelu.y is x",
            "GeluGradient.dx is dy",
            "DropoutAdd.out is x",
            "DropoutAdd.out is branch",
            "Dropout.out is x",
            "DropoutGradient.dx is dy",
            "CrossEntropy.dLogits is logits");

    private static final DropoutSite DROPOUT = DropoutRate.of(0.5).site(1);
    private static final MicroBatch BATCH = new MicroBatch(1, 4, new int[] {1, 0, 3, 1}, new int[] {2, 3, -1, 0});

    /** Every operator, with square tensors [4, 4] and vectors [4] where it can. */
    static List<Operator> operators() {
        AttentionShape heads = new AttentionShape(1, 4, 2, 2, 2);
        Attention attention = attention(heads);
        return List.of(
                new Embedding("op", m("tokens"), Optional.of(m("positions")), DropoutSite.none(0), m("out")),
                new EmbeddingGradient(
                        "op", m("dOut"), DropoutSite.none(0), false, m("dTokens"), Optional.of(m("dPositions"))),
                new Linear("op", m("x"), m("weight"), Optional.of(v("bias")), WeightLayout.IN_OUT, m("y")),
                new LinearInputGradient("op", m("dy"), m("weight"), WeightLayout.OUT_IN, false, m("dx")),
                new LinearWeightGradient(
                        "op", m("x"), m("dy"), WeightLayout.IN_OUT, m("dWeight"), Optional.of(v("dBias"))),
                new LayerNorm("op", m("x"), v("gain"), v("bias"), 1e-5f, m("y"), v("mean"), v("rstd")),
                new LayerNormGradient(
                        "op", m("dy"), m("x"), v("gain"), v("mean"), v("rstd"), false, m("dx"), v("dGain"), v("dBias")),
                new RmsNorm("op", m("x"), v("gain"), 1e-5f, m("y"), v("rstd")),
                new RmsNormGradient("op", m("dy"), m("x"), v("gain"), v("rstd"), false, m("dx"), v("dGain")),
                new Rope("op", new AttentionShape(1, 4, 2, 1, 2), t("cos", 4, 1), t("sin", 4, 1), false, m("x")),
                attention,
                new AttentionGradient(
                        "op",
                        attention,
                        m("dOut"),
                        new HeadsView(m("dq"), 0),
                        new HeadsView(m("dk"), 0),
                        new HeadsView(m("dv"), 0)),
                new Gelu("op", m("x"), m("y")),
                new GeluGradient("op", m("x"), m("dy"), m("dx")),
                new SwiGlu("op", m("gate"), m("up"), m("y")),
                new SwiGluGradient("op", m("gate"), m("up"), m("dy"), m("dGate"), m("dUp")),
                new DropoutAdd("op", m("x"), m("branch"), DropoutSite.none(2), m("out")),
                new Dropout("op", m("x"), DROPOUT, m("out")),
                new DropoutGradient("op", m("dy"), DROPOUT, m("dx")),
                new CrossEntropy("op", m("logits"), v("losses"), m("dLogits")));
    }

    private static Attention attention(AttentionShape heads) {
        return new Attention(
                "op",
                heads,
                new HeadsView(m("q"), 0),
                new HeadsView(m("k"), 0),
                new HeadsView(m("v"), 0),
                0.7f,
                DropoutSite.none(1),
                m("out"),
                v8("rowMax"),
                v8("rowSum"));
    }

    @Test
    void everyOperatorIsHere() {
        Set<String> here =
                operators().stream().map(o -> o.getClass().getSimpleName()).collect(Collectors.toSet());
        Set<String> all = Stream.of(Operator.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
        all.removeAll(here);
        assertEquals(Set.of(), all);
    }

    @ParameterizedTest
    @MethodSource("operators")
    void aTensorWithARowOrAColumnTooManyIsRefusedByName(Operator operator) {
        List<String> silent = new ArrayList<>();
        for (String component : tensors(operator)) {
            Tensor present = tensor(operator, component);
            boolean vector = present.shape().dimensions() == 1;
            for (String way : vector ? List.of("rows") : List.of("rows", "columns")) {
                String what = kind(operator) + "." + component + " " + way;
                Shape wrong = vector
                        ? Shape.of(present.size() + 1)
                        : way.equals("rows")
                                ? Shape.of(present.rows() + 1, present.columns())
                                : Shape.of(present.rows(), present.columns() + 1);
                Tensor changed = Tensor.of(component, wrong, new float[(int) wrong.elementCount()]);
                Optional<String> message = refusal(operator, component, changed);
                if (FREE.contains(what)) {
                    assertEquals(Optional.empty(), message, what);
                } else if (message.filter(m -> m.startsWith("op: ")).isEmpty()) {
                    silent.add(what + " " + message);
                }
            }
        }
        assertEquals(List.of(), silent);
    }

    @ParameterizedTest
    @MethodSource("operators")
    void anOutputThatSharesStorageIsRefusedUnlessTheOperatorWorksInPlace(Operator operator) {
        List<String> silent = new ArrayList<>();
        for (String output : tensors(operator)) {
            for (String other : tensors(operator)) {
                Tensor written = tensor(operator, output);
                boolean comparable = !output.equals(other)
                        && operator.outputs().contains(written)
                        && tensor(operator, other).size() == written.size();
                if (!comparable) {
                    continue;
                }
                Tensor shared = Tensor.of(other, tensor(operator, other).shape(), written.data());
                String what = kind(operator) + "." + output + " is " + other;
                Optional<String> message = refusal(operator, other, shared);
                if (IN_PLACE.contains(what)) {
                    assertEquals(Optional.empty(), message, what);
                    inPlaceIsAsApart(operator, output, other);
                } else if (message.filter(m -> m.contains("alias")).isEmpty()) {
                    silent.add(what + " " + message);
                }
            }
        }
        assertEquals(List.of(), silent);
    }

    private static void inPlaceIsAsApart(Operator operator, String output, String input) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                Operator apart = copy(operator);
                fill(apart);
                Operator inPlace = copy(operator);
                fill(inPlace);
                Tensor shared = tensor(inPlace, input);
                inPlace = with(
                        inPlace,
                        output,
                        Tensor.of(output, tensor(inPlace, output).shape(), shared.data()));
                apart.run(backend, context());
                inPlace.run(backend, context());
                assertEquals(
                        Optional.empty(),
                        Bits.firstDifference(
                                tensor(apart, output).data(),
                                tensor(inPlace, output).data()),
                        id.text() + " " + output + " in the place of " + input);
            }
        }
    }

    /** Attention's row statistics are never NaN themselves where max passes over it; its output is. */
    @ParameterizedTest
    @MethodSource("operators")
    void anInputOfNaNReachesAnOutput(Operator operator) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                for (String input : tensors(operator)) {
                    Operator faulty = copy(operator);
                    fill(faulty);
                    if (!faulty.inputs().contains(tensor(faulty, input))) {
                        continue;
                    }
                    Arrays.fill(tensor(faulty, input).data(), Float.NaN);
                    faulty.run(backend, context());
                    boolean seen = faulty.outputs().stream().anyMatch(OperatorArgumentsTest::hasNaN);
                    assertTrue(seen, kind(operator) + " hides a NaN in " + input + " on " + id.text());
                }
            }
        }
    }

    private static boolean hasNaN(Tensor tensor) {
        for (float x : tensor.data()) {
            if (Float.isNaN(x)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void tokenIdsAndTargetsOutsideTheVocabularyAreRefusedByEveryBackend() {
        for (int wrong : new int[] {-1, 4, 1 << 20, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            MicroBatch ids = new MicroBatch(1, 4, new int[] {0, 1, wrong, 2}, new int[4]);
            refusedByEveryBackend(operators().get(0), ids, "token 2");
            refusedByEveryBackend(operators().get(1), ids, "token 2");
            int target = wrong == -1 ? -2 : wrong;
            MicroBatch targets = new MicroBatch(1, 4, new int[4], new int[] {0, 1, target, 2});
            refusedByEveryBackend(operators().getLast(), targets, "target 2");
        }
    }

    @Test
    void aMicroBatchOfAnotherShapeIsRefusedByEveryBackend() {
        MicroBatch more = new MicroBatch(1, 5, new int[5], new int[5]);
        MicroBatch fewer = new MicroBatch(1, 3, new int[3], new int[3]);
        MicroBatch turned = new MicroBatch(2, 2, new int[4], new int[4]);
        for (Operator operator : operators()) {
            String kind = kind(operator);
            boolean reads = Set.of("Embedding", "EmbeddingGradient", "CrossEntropy", "Attention", "AttentionGradient")
                    .contains(kind);
            if (reads) {
                refusedByEveryBackend(operator, more, "");
                refusedByEveryBackend(operator, fewer, "");
            }
            if (kind.startsWith("Attention")) {
                refusedByEveryBackend(operator, turned, "");
            }
        }
    }

    @Test
    void sequencesLongerThanThePositionTableAreRefusedByEveryBackend() {
        Embedding embedding =
                new Embedding("op", m("tokens"), Optional.of(t("positions", 3, 4)), DropoutSite.none(0), m("out"));
        refusedByEveryBackend(embedding, BATCH, "position");
        EmbeddingGradient gradient = new EmbeddingGradient(
                "op", m("dOut"), DropoutSite.none(0), false, m("dTokens"), Optional.of(t("dPositions", 3, 4)));
        refusedByEveryBackend(gradient, BATCH, "position");
    }

    @Test
    void gradientViewsThatOverlapInOneTensorAreRefused() {
        Attention forward = attention(new AttentionShape(1, 4, 2, 2, 2));
        Tensor all = t("dqkv", 4, 12);
        new AttentionGradient(
                "op", forward, m("dOut"), new HeadsView(all, 0), new HeadsView(all, 4), new HeadsView(all, 8));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> new AttentionGradient(
                        "op", forward, m("dOut"), new HeadsView(all, 0), new HeadsView(all, 2), new HeadsView(all, 8)));
        assertTrue(String.valueOf(e.getMessage()).contains("overlap"), e::toString);
    }

    @Test
    void moreElementsThanAnArrayHoldsAreRefusedBeforeAnythingIsAllocated() {
        for (long[] extents : new long[][] {{1L << 31}, {1L << 16, 1L << 15}, {46_341, 46_341}, {3, 1L << 30}}) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> Tensor.declare("big", Shape.of(extents)));
            assertTrue(String.valueOf(e.getMessage()).contains("split the batch"), e::toString);
        }
        assertThrows(ArithmeticException.class, () -> new MicroBatch(1 << 16, 1 << 15, new int[0], new int[0]));
        AttentionShape many = new AttentionShape(1 << 20, 2, 1 << 10, 1, 1);
        assertThrows(ArithmeticException.class, many::rows);
    }

    private static void refusedByEveryBackend(Operator operator, MicroBatch batch, String named) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                OperatorContext context = new OperatorContext(batch, 1, 1, 0, 0, 1f);
                IllegalArgumentException e = assertThrows(
                        IllegalArgumentException.class,
                        () -> operator.run(backend, context),
                        kind(operator) + " on " + id.text());
                assertTrue(String.valueOf(e.getMessage()).contains(named), e::toString);
            }
        }
    }

    // Operators taken apart and put together again
    // ---------------------------------------------------------------------

    private static String kind(Operator operator) {
        return operator.getClass().getSimpleName();
    }

    /** Names of the record's components that are or hold a tensor. */
    private static List<String> tensors(Operator operator) {
        return Stream.of(operator.getClass().getRecordComponents())
                .filter(c ->
                        c.getType() == Tensor.class || c.getType() == HeadsView.class || c.getType() == Optional.class)
                .map(RecordComponent::getName)
                .toList();
    }

    private static Tensor tensor(Operator operator, String component) {
        return switch (value(operator, component)) {
            case Tensor tensor -> tensor;
            case HeadsView view -> view.tensor();
            case Optional<?> optional -> (Tensor) optional.orElseThrow();
            default -> throw new IllegalArgumentException(component);
        };
    }

    private static Object value(Operator operator, String component) {
        try {
            return operator.getClass().getMethod(component).invoke(operator);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The message with which the operator refuses another tensor; empty when it takes it. */
    private static Optional<String> refusal(Operator operator, String component, Tensor changed) {
        try {
            with(operator, component, changed);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static Operator with(Operator operator, String component, Tensor changed) {
        List<Object> arguments = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        for (RecordComponent c : operator.getClass().getRecordComponents()) {
            Object present = value(operator, c.getName());
            types.add(c.getType());
            arguments.add(
                    !c.getName().equals(component)
                            ? present
                            : switch (present) {
                                case HeadsView view -> new HeadsView(changed, view.offset());
                                case Optional<?> _ -> Optional.of(changed);
                                default -> changed;
                            });
        }
        try {
            return (Operator) operator.getClass()
                    .getDeclaredConstructor(types.toArray(Class<?>[]::new))
                    .newInstance(arguments.toArray());
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same operator over tensors of its own. */
    private static Operator copy(Operator operator) {
        return operators().stream()
                .filter(o -> o.getClass() == operator.getClass())
                .findFirst()
                .orElseThrow();
    }

    /** Small different numbers everywhere. */
    private static void fill(Operator operator) {
        int seed = 1;
        for (Tensor tensor : operator.inputs()) {
            for (int i = 0; i < tensor.size(); i++) {
                tensor.data()[i] = 0.1f * ((seed++ * 7) % 23) + 0.05f;
            }
        }
    }

    private static OperatorContext context() {
        return new OperatorContext(BATCH, 1, 1, 0, 0, 0.25f);
    }

    private static Tensor m(String name) {
        return t(name, 4, 4);
    }

    private static Tensor v(String name) {
        return Tensor.of(name, Shape.of(4), new float[4]);
    }

    private static Tensor v8(String name) {
        return Tensor.of(name, Shape.of(8), new float[8]);
    }

    private static Tensor t(String name, int rows, int columns) {
        return Tensor.of(name, Shape.of(rows, columns), new float[rows * columns]);
    }
}
