package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The backward of every operator is the gradient of its forward: central differences in binary64 say so. */
class GradientTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_501L);

    /** Rounding to binary32 leaves about 1e-6; a wrong term leaves more than 1e-3. */
    private static final double LIMIT = 2e-5;

    static List<String> operators() {
        return GradientProblems.OPERATORS;
    }

    @ParameterizedTest
    @MethodSource("operators")
    void theBackwardIsTheSlopeOfTheForward(String operator) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                assertEquals(List.of(), differences(operator, backend), id.text());
            }
        }
    }

    /** Inputs whose gradient is too far from central differences, for several draws. */
    static List<String> differences(String operator, Backend backend) {
        List<String> differences = new ArrayList<>();
        for (long seed = SEED; seed < SEED + 3; seed++) {
            Map<String, Double> errors =
                    new GradientProblems(seed, backend).of(operator).errors();
            long of = seed;
            errors.forEach((input, error) -> {
                if (!(error <= LIMIT)) {
                    differences.add(
                            "%s, gradient of %s: off by %.2e relative, seed %d".formatted(operator, input, error, of));
                }
            });
        }
        return differences;
    }

    /** Twin: the erf form of GELU differs by less than 1e-3, its slope by less than 1e-2. */
    @Test
    void theGradientOfANearlyEqualFunctionIsNotEnough() {
        GradientProblem gelu = new GradientProblems(SEED, Backends.create(BackendId.REFERENCE, 1)).of("gelu");
        GradientProblem other = new GradientProblem(
                "gelu",
                gelu.settings(),
                new LinkedHashMap<>(gelu.inputs()),
                in -> {
                    double[] y = in.get(0).clone();
                    for (int i = 0; i < y.length; i++) {
                        y[i] = y[i] / (1 + StrictMath.exp(-1.702 * y[i]));
                    }
                    return y;
                },
                gelu.weights(),
                gelu.computed());
        assertTrue(
                other.errors().getOrDefault("x", 0.0) > LIMIT,
                () -> other.errors().toString());
    }
}
