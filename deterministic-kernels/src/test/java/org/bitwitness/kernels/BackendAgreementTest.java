package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every backend of this machine against the oracle: awkward sizes, awkward values, 1, 2 and 4 threads. */
class BackendAgreementTest {
    /** Change it to look elsewhere; a failure names the seed of its case. */
    static final long SEED = Long.getLong("tests.seed", 20_260_101L);

    static final int CASES = Integer.getInteger("tests.cases", 36);

    private static final String FULL = Integer.toString(OperatorCases.FULL);

    static List<Arguments> backendsAndOperators() {
        List<Arguments> out = new ArrayList<>();
        for (BackendId id : Backends.available()) {
            if (id == BackendId.REFERENCE) {
                continue;
            }
            OperatorCases.KINDS.forEach(kind -> out.add(Arguments.of(id, kind)));
        }
        return out;
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("backendsAndOperators")
    void agreesWithTheOracleBitForBit(BackendId id, String kind) {
        for (int threads : new int[] {1, 2, 4}) {
            try (Backend backend = Backends.create(id, threads)) {
                List<String> differences = BackendAgreement.differences(kind, backend, SEED, CASES);
                assertEquals(List.of(), differences, "with " + threads + " threads, tests.seed=" + SEED);
            }
        }
    }

    /** Ten times as many cases, from another seed. */
    @Tag("slow")
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("backendsAndOperators")
    void agreesOverManyMoreCases(BackendId id, String kind) {
        for (int threads : new int[] {1, 2, 4}) {
            try (Backend backend = Backends.create(id, threads)) {
                List<String> differences = BackendAgreement.differences(kind, backend, SEED + threads, 10 * CASES);
                assertEquals(List.of(), differences, "with " + threads + " threads, tests.seed=" + SEED);
            }
        }
    }

    /** Every size that has caught kernels out, as rows, inputs and outputs of a linear layer and its backward. */
    @Tag("slow")
    @ParameterizedTest(name = "{0} rows")
    @ValueSource(ints = {1, 2, 3, 127, 128, 129, 511, 512, 513, 521})
    void productsAgreeForEveryCombinationOfAwkwardSizes(int rows) {
        int[] sizes = {1, 2, 3, 127, 128, 129, 511, 512, 513, 521};
        try (Backend vector = Backends.create(BackendId.VECTOR, 2)) {
            for (int inputs : sizes) {
                for (int outputs : sizes) {
                    List<String> differences = BackendAgreement.products(vector, rows, inputs, outputs);
                    assertEquals(List.of(), differences, "%d × %d × %d".formatted(rows, inputs, outputs));
                }
            }
        }
    }

    /** Other register widths run other tiles and loops, and unoptimised code runs without vector instructions. */
    @ParameterizedTest(name = "vector backend, {0}")
    @ValueSource(strings = {"-XX:UseAVX=1", "-XX:UseAVX=2", "-XX:TieredStopAtLevel=1"})
    void vectorBackendAgreesInOtherModesOfTheJvm(String mode) {
        String output = ChildJvm.run(BackendAgreement.class, mode, "vector", Long.toString(SEED), "9", FULL, "2");
        assertTrue(output.endsWith("ALL BITS AGREE"), output);
    }
}
