package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.Reduction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HonestRunTest {
    @TempDir
    private static Path temp;

    @BeforeAll
    static void train() throws Exception {
        TestTrainer.train(temp.resolve("run"), TestTrainer.Shape.SMALL, Lie.NONE);
    }

    static Stream<String> units() {
        return Stream.of(
                "INIT",
                "DATA(shard-00000)",
                "GRADIENT(3,2)",
                "REDUCE(4)",
                "UPDATE(3)",
                "STEP(0)",
                "STEP(5)",
                "SEGMENT(1,5)",
                "FINAL");
    }

    @ParameterizedTest
    @MethodSource("units")
    void reproducesEveryUnitOnOneTwoAndFourThreads(String unit) throws Exception {
        for (int threads : new int[] {1, 2, 4}) {
            ReplayReport report = replay("run", unit, BackendId.VECTOR, threads);
            assertEquals(
                    Verdict.REPRODUCED, report.verdict(), () -> report.reason().orElse(""));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STEP(6)",
                "REDUCE(6)",
                "UPDATE(6)",
                "GRADIENT(6,0)",
                "GRADIENT(3,9)",
                "SEGMENT(2,7)",
                "DATA(shard-00009)"
            })
    void refusesAUnitThatTheRunDoesNotHaveBeforeAnythingIsComputed(String unit) {
        EngineFactory none = (tensors, backend, threads) -> {
            throw new AssertionError("an engine was made");
        };
        assertThrows(ReplayException.class, () -> Replays.replay(temp.resolve("run"), unit, BackendId.VECTOR, 1, none));
    }

    @Test
    void reproducesOnTheReferenceBackendWithTheSameRootsAndProof() throws Exception {
        ReplayReport vector = replay("run", "STEP(3)", BackendId.VECTOR, 2);
        ReplayReport reference = replay("run", "STEP(3)", BackendId.REFERENCE, 1);
        assertEquals(vector.computedRoot(), reference.computedRoot());
        assertEquals(vector.proof(), reference.proof());
    }

    @Test
    void reproducesARunThatCombinesExactly() throws Exception {
        TestTrainer.train(temp.resolve("exact"), TestTrainer.Shape.SMALL.with(Reduction.EXACT), Lie.NONE);
        assertEquals(
                Verdict.REPRODUCED,
                replay("exact", "SEGMENT(0,6)", BackendId.VECTOR, 2).verdict());
    }

    private static ReplayReport replay(String run, String unit, BackendId backend, int threads) throws Exception {
        return Replays.replay(temp.resolve(run), unit, backend, threads);
    }
}
