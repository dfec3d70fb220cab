package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The elementary functions: special values, a strided sweep every day, all 2^32 inputs in the full run. */
class FunctionTest {
    private static final Backend REFERENCE = Backends.create(BackendId.REFERENCE, 1);

    @ParameterizedTest(name = "{0}({1}) = {2}")
    @CsvSource({
        "EXP,00000000,3f800000", "EXP,ff800000,00000000", "EXP,7f800000,7f800000", "EXP,ffc12345,7fc00000",
        "EXP,c2d00000,00000000", "LOG,3f800000,00000000", "LOG,00000000,ff800000", "LOG,80000000,ff800000",
        "LOG,bf800000,7fc00000", "LOG,7f800000,7f800000", "LOG,7f800001,7fc00000", "TANH,80000000,80000000",
        "TANH,7f800000,3f800000", "TANH,ff800000,bf800000", "SIGMOID,ff800000,00000000", "SIGMOID,7f800000,3f800000",
        "SIGMOID,00000000,3f000000", "ERF,80000000,80000000", "ERF,7f800000,3f800000", "ERF,ff800000,bf800000",
        "RSQRT,00000000,7f800000", "RSQRT,bf800000,7fc00000"
    })
    void specialValuesAreExact(ScalarFunction function, String input, String output) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 1)) {
                assertEquals(
                        output,
                        "%08x".formatted(apply(backend, function, Integer.parseUnsignedInt(input, 16))),
                        id.text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ScalarFunction.class)
    void allBackendsAgreeAtEdgesAndOnAStridedSweep(ScalarFunction function) {
        for (BackendId id : Backends.available()) {
            try (Backend backend = Backends.create(id, 2)) {
                assertEquals(List.of(), differences(function, backend), id.text());
            }
        }
    }

    /** Where a backend differs from the reference: at powers of two and their neighbours, and in a sum over a sample. */
    static List<String> differences(ScalarFunction function, Backend backend) {
        int edges = 0;
        float[] x = new float[2 * 256 * 5];
        for (int exponent = 0; exponent < 512; exponent++) {
            for (int fraction : new int[] {0, 1, 2, 0x400000, 0x7fffff}) {
                x[edges++] = Float.intBitsToFloat(exponent << 23 | fraction);
            }
        }
        Tensor inputs = Tensor.of("x", Shape.of(x.length), x);
        Tensor expected = Tensor.of("expected", inputs.shape(), new float[x.length]);
        Tensor computed = Tensor.of("computed", inputs.shape(), new float[x.length]);
        REFERENCE.apply(function, inputs, expected);
        backend.apply(function, inputs, computed);
        List<String> differences = new ArrayList<>();
        Bits.firstDifference(expected.data(), computed.data()).ifPresent(differences::add);
        long sum = FunctionSweep.strided(REFERENCE, function, 16_411, done -> {});
        if (FunctionSweep.strided(backend, function, 16_411, done -> {}) != sum) {
            differences.add(function + ": the sums over a sample are not equal");
        }
        return differences;
    }

    /** Twin: one wrong bit in one of the outputs changes the sum. */
    @Test
    void aSweepSeesAnExpThatIsRoundedCorrectlyInsteadOfAsSpecified() {
        Backend mutant = Mutants.named("functions: exp rounded correctly instead of as specified");
        assertNotEquals(
                FunctionSweep.strided(REFERENCE, ScalarFunction.EXP, 65_537, done -> {}),
                FunctionSweep.strided(mutant, ScalarFunction.EXP, 65_537, done -> {}));
    }

    @ParameterizedTest
    @EnumSource(ScalarFunction.class)
    void largestErrorOverASampleIsWithinTheStatedBound(ScalarFunction function) {
        double bound = switch (function) {
            case EXP -> 1.013;
            case LOG -> 0.934;
            case TANH -> 1.332;
            case SIGMOID -> 2.402;
            case ERF -> 1.015;
            case RSQRT -> 1.5;
        };
        double worst = 0;
        for (long i = 0; i < 1L << 32; i += 1_000_003) {
            float x = Float.intBitsToFloat((int) i);
            double exact = exact(function, x);
            float computed = Float.intBitsToFloat(apply(REFERENCE, function, (int) i));
            if (Double.isFinite(exact) && Math.abs(exact) >= Float.MIN_NORMAL && Math.abs(exact) <= Float.MAX_VALUE) {
                worst = Math.max(worst, Math.abs(computed - exact) / Math.ulp((float) exact));
            }
        }
        assertEquals(true, worst <= bound + 0.51, function + " is off by " + worst + " ulp");
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(
            value = ScalarFunction.class,
            names = {"EXP", "TANH"})
    void theSumOverAllInputsIsTheKnownAnswer(ScalarFunction function) {
        try (Backend backend = Backends.create(BackendId.VECTOR, 2)) {
            assertEquals(
                    FunctionSweep.knownAnswer(function).orElseThrow(),
                    FunctionSweep.full(backend, function, done -> {}));
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(ScalarFunction.class)
    void theReferenceAgreesWithTheVectorBackendOnEveryInput(ScalarFunction function) throws Exception {
        int threads = Runtime.getRuntime().availableProcessors();
        List<Callable<Optional<String>>> shares = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int share = t;
            shares.add(() -> firstDifferenceOfAShare(function, share, threads));
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (Future<Optional<String>> share : executor.invokeAll(shares)) {
                assertEquals(Optional.empty(), share.get());
            }
        }
    }

    /** Blocks {@code share}, share + shares … of the 2^16 blocks of 2^16 inputs each. */
    private static Optional<String> firstDifferenceOfAShare(ScalarFunction function, int share, int shares) {
        int block = 1 << 16;
        float[] x = new float[block];
        Tensor inputs = Tensor.of("x", Shape.of(block), x);
        Tensor expected = Tensor.of("expected", Shape.of(block), new float[block]);
        Tensor computed = Tensor.of("computed", Shape.of(block), new float[block]);
        try (Backend vector = Backends.create(BackendId.VECTOR, 1)) {
            for (int high = share; high < 1 << 16; high += shares) {
                for (int low = 0; low < block; low++) {
                    x[low] = Float.intBitsToFloat(high << 16 | low);
                }
                REFERENCE.apply(function, inputs, expected);
                vector.apply(function, inputs, computed);
                Optional<String> difference = Bits.firstDifference(expected.data(), computed.data());
                if (difference.isPresent()) {
                    return Optional.of(
                            "%s, high half of the input %04x: %s".formatted(function, high, difference.get()));
                }
            }
        }
        return Optional.empty();
    }

    private static int apply(Backend backend, ScalarFunction function, int bits) {
        Tensor x = Tensor.of("x", Shape.of(1), new float[] {Float.intBitsToFloat(bits)});
        Tensor y = Tensor.of("y", Shape.of(1), new float[1]);
        backend.apply(function, x, y);
        return Float.floatToRawIntBits(y.data()[0]);
    }

    private static double exact(ScalarFunction function, double x) {
        return switch (function) {
            case EXP -> StrictMath.exp(x);
            case LOG -> StrictMath.log(x);
            case TANH -> StrictMath.tanh(x);
            case SIGMOID -> 1 / (1 + StrictMath.exp(-x));
            case ERF -> erf(x);
            case RSQRT -> 1 / StrictMath.sqrt(x);
        };
    }

    /** Series for small, continued fraction for large arguments, to binary64 accuracy. */
    private static double erf(double x) {
        double a = Math.abs(x);
        if (a > 6) {
            return Math.copySign(1, x);
        }
        double sum = 0;
        double term = a;
        for (int n = 0; n < 200; n++) {
            sum += term / (2 * n + 1);
            term *= -a * a / (n + 1);
        }
        if (a < 3) {
            return Math.copySign(2 / StrictMath.sqrt(StrictMath.PI) * sum, x);
        }
        double fraction = 0;
        for (int n = 120; n >= 1; n--) {
            fraction = n / 2.0 / (a + fraction);
        }
        double complement = StrictMath.exp(-a * a) / StrictMath.sqrt(StrictMath.PI) / (a + fraction);
        return Math.copySign(1 - complement, x);
    }
}
