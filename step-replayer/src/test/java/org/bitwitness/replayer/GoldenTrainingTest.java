package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.StepEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Both backends of the CPU train for 100 steps to the committed digests, from which {@code doctor} judges devices. */
class GoldenTrainingTest {
    static List<Arguments> familiesAndBackends() {
        List<Arguments> out = new ArrayList<>();
        for (String family : GoldenTraining.FAMILIES) {
            for (BackendId id : List.of(BackendId.REFERENCE, BackendId.VECTOR)) {
                out.add(Arguments.of(family, id, GoldenTraining.STEPS));
                out.add(Arguments.of(family, id, GoldenTraining.FEW_STEPS));
            }
        }
        return out;
    }

    @ParameterizedTest(name = "{0} on {1}, {2} steps")
    @MethodSource("familiesAndBackends")
    void hasTheCommittedDigest(String family, BackendId id, int steps) {
        assertEquals(
                Optional.empty(),
                new GoldenTraining(EngineFactory.STANDARD)
                        .run(family, id, 1, steps)
                        .problem());
    }

    @Test
    void hasItOnTheEmulatorToo() {
        for (String family : GoldenTraining.FAMILIES) {
            assertEquals(
                    Optional.empty(),
                    new GoldenTraining(EngineFactory.STANDARD)
                            .run(family, BackendId.PTX_EMULATOR, 2, GoldenTraining.FEW_STEPS)
                            .problem());
        }
    }

    /** Twin: in one micro-batch of three hundred, the last bit of one element of each of its nine products. */
    @Test
    void aSlipInOneMicroBatchIsNoticed() {
        int[] products = {0};
        EngineFactory slipping = (tensors, id, threads) -> StepEngine.create(
                tensors, BrokenMachineTest.breaking(Backends.create(id, threads), () -> products[0]++ / 9 == 150));
        GoldenTraining.Result result =
                new GoldenTraining(slipping).run("gpt2", BackendId.VECTOR, 1, GoldenTraining.STEPS);
        assertEquals(2700, products[0]);
        String problem = result.problem().orElse("nothing was noticed");
        assertTrue(problem.contains("the first 100 steps of gpt2 should hash to"), problem);
    }

    @Test
    void refusesStepsAfterWhichNothingIsKnown() {
        GoldenTraining training = new GoldenTraining(EngineFactory.STANDARD);
        assertThrows(IllegalArgumentException.class, () -> training.run("gpt2", BackendId.VECTOR, 1, 3));
    }
}
