package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sums and maxima are never −0. Products that underflow from below are −0, and a chain of them alone stays −0 unless +0
 * is added: inputs made so that the sign of the zero reaches an output.
 */
class SignedZeroTest {
    private static final float SMALL = 0x1p-100f;

    @ParameterizedTest
    @ValueSource(strings = {"linear", "rmsNormGradient", "attention"})
    void aSumOfProductsThatUnderflowIsPlusZero(String operator) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                assertEquals(List.of(), differences(operator, backend), id.text());
            }
        }
    }

    static List<String> differences(String operator, Backend backend) {
        Optional<String> difference = switch (operator) {
            case "linear" -> linear(backend);
            case "rmsNormGradient" -> rmsNormGradient(backend);
            case "attention" -> attention(backend);
            default -> throw new IllegalArgumentException(operator);
        };
        return difference.stream().toList();
    }

    private static Optional<String> linear(Backend backend) {
        Tensor y = filled("y", Float.NaN, 1, 3);
        backend.linear(new Linear(
                "case", filled("x", -SMALL, 1, 5), filled("w", SMALL, 5, 3), Optional.empty(), WeightLayout.IN_OUT, y));
        return Bits.firstDifference(new float[] {0f, 0f, 0f}, y.data());
    }

    /** h·x = −0 in all 128 lanes, so t would be −0; then dx = fma(−t, x, h·r) = fma(−0, x, −0) has to be −0. */
    private static Optional<String> rmsNormGradient(Backend backend) {
        Tensor dx = filled("dx", Float.NaN, 1, 128);
        backend.rmsNormGradient(new RmsNormGradient(
                "case",
                filled("dy", -SMALL, 1, 128),
                filled("x", SMALL, 1, 128),
                filled("gain", 1f, 128),
                filled("rstd", SMALL, 1),
                false,
                dx,
                filled("dGain", Float.NaN, 128)));
        float[] expected = new float[128];
        Arrays.fill(expected, -0f);
        return Bits.firstDifference(expected, dx.data());
    }

    /** Every score is the smallest negative number times 1/8, which is −0; their maximum is +0. */
    private static Optional<String> attention(Backend backend) {
        AttentionShape shape = new AttentionShape(1, 3, 1, 1, 1);
        HeadsView q = new HeadsView(filled("q", -Float.MIN_VALUE, 3, 1), 0);
        HeadsView k = new HeadsView(filled("k", 1f, 3, 1), 0);
        Tensor max = filled("max", Float.NaN, 3);
        backend.attention(
                new Attention(
                        "case",
                        shape,
                        q,
                        k,
                        k,
                        0.125f,
                        DropoutSite.none(1),
                        filled("out", Float.NaN, 3, 1),
                        max,
                        filled("sum", Float.NaN, 3)),
                new OperatorContext(new MicroBatch(1, 3, new int[3], new int[3]), 0, 1, 0, 0, 1f));
        return Bits.firstDifference(new float[] {0f, 0f, 0f}, max.data());
    }

    private static Tensor filled(String name, float value, long... extents) {
        Shape shape = Shape.of(extents);
        float[] data = new float[(int) shape.elementCount()];
        Arrays.fill(data, value);
        return Tensor.of(name, shape, data);
    }
}
