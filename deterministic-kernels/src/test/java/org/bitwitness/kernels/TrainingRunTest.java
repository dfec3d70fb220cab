package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Training a tiny model of both families ends in the same state, to the bit: on both backends, with any number of threads,
 * in every mode of the JVM. The roots were computed by the reference backend; they change only with the profile.
 */
class TrainingRunTest {
    private static final Map<String, String> AFTER_20_STEPS = Map.of(
            "gpt2", "a4c196f86c671c6b63c1775c3d0f76a3fa5742467f32d4164eb2a619e913fd73",
            "llama", "e1a57f98a1562de0cac01a3d4b9495b6a2be809b9c53d7d092dd1c49e1dfaa6a");

    private static final Map<String, String> AFTER_200_STEPS = Map.of(
            "gpt2", "2c7adbaab57c4db7031e75d033e8794e1a85cf81d942d31ce8ca005c59a63bb2",
            "llama", "6a647d4bb5e0328555b11650788ef9eb76c1e3b6fd6e04e8075c0e5877f1432e");

    static List<Arguments> backendsAndThreads() {
        List<Arguments> out = new ArrayList<>();
        for (BackendId id : Backends.available()) {
            for (int threads : id == BackendId.REFERENCE ? new int[] {1} : new int[] {1, 2, 4}) {
                out.add(Arguments.of("gpt2", id, threads));
                out.add(Arguments.of("llama", id, threads));
            }
        }
        return out;
    }

    static List<Arguments> modes() {
        List<Arguments> out = new ArrayList<>();
        for (String mode : JvmModesTest.everyMode()) {
            out.add(Arguments.of("gpt2", mode));
            out.add(Arguments.of("llama", mode));
        }
        return out;
    }

    @ParameterizedTest(name = "{0} on {1} with {2} threads")
    @MethodSource("backendsAndThreads")
    void twentyStepsEndInTheGoldenState(String family, BackendId id, int threads) {
        assertEquals(List.of(), differences(family, Backends.create(id, threads)));
    }

    /** Empty when 20 steps end as they should. Closes the backend. */
    static List<String> differences(String family, Backend backend) {
        String expected = AFTER_20_STEPS.getOrDefault(family, "");
        String computed = TrainingRun.root(family, backend, 20).hex();
        return expected.equals(computed)
                ? List.of()
                : List.of("%s after 20 steps: expected %s, computed %s".formatted(family, expected, computed));
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0} on {1} with {2} threads")
    @MethodSource("backendsAndThreads")
    void twoHundredStepsEndInTheGoldenState(String family, BackendId id, int threads) {
        assertEquals(
                AFTER_200_STEPS.get(family),
                TrainingRun.root(family, Backends.create(id, threads), 200).hex());
    }

    /** Interpreted or without AVX it is slow: five steps, whose state the reference computes here. */
    @Tag("slow")
    @ParameterizedTest(name = "{0} with {1}")
    @MethodSource("modes")
    void aRunEndsInTheSameStateInEveryModeOfTheJvm(String family, String mode) {
        boolean slow = mode.equals("-Xint") || mode.equals("-XX:UseAVX=0");
        int steps = slow ? 2 : 20;
        String expected = TrainingRun.root(family, Backends.create(BackendId.REFERENCE, 1), steps)
                .hex();
        String output = ChildJvm.run(TrainingRun.class, mode, family, "vector", "2", Integer.toString(steps));
        assertTrue(output.endsWith(expected), output);
    }

    /** Twin: a constant one unit in the last place off is seen in the root after three steps. */
    @Test
    void aBackendThatRoundsOneConstantOtherwiseEndsElsewhere() {
        assertNotEquals(
                TrainingRun.root("gpt2", Backends.create(BackendId.REFERENCE, 1), 3),
                TrainingRun.root("gpt2", Mutants.named("gelu: constant 0.044715 one ulp off"), 3));
    }
}
