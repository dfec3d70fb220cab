package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The comparison of backends sees the slips it is made for: every planted fault is caught, the untouched twin is not. */
class PlantedFaultTest {
    private static final long SEED = 7;
    private static final int CASES = 36;

    static Set<String> mutants() {
        return Mutants.names();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isCaughtByTheCasesOfItsOperator(String mutant) {
        String kind = Mutants.get(mutant).kind();
        assertFalse(
                BackendAgreement.differences(kind, Mutants.named(mutant), SEED, CASES)
                        .isEmpty(),
                "nothing noticed: " + mutant);
    }

    @Test
    void theUntouchedTwinAgrees() {
        Backend twin = Backends.create(BackendId.REFERENCE, 1);
        for (String kind : OperatorCases.KINDS) {
            assertEquals(List.of(), BackendAgreement.differences(kind, twin, SEED, 6), kind);
        }
    }
}
