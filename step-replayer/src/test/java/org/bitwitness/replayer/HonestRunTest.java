package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.OptimizerSpec;
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

    @Test
    void reproducesARunOfTheOtherProfileUnderItsName() throws Exception {
        TestTrainer.train(temp.resolve("bf16"), TestTrainer.Shape.SMALL.with(ProfileId.BF16_C512), Lie.NONE);
        for (String unit : List.of("SEGMENT(0,6)", "GRADIENT(3,2)", "FINAL")) {
            ReplayReport report = replay("bf16", unit, BackendId.VECTOR, 2);
            assertEquals(
                    Verdict.REPRODUCED, report.verdict(), () -> report.reason().orElse(""));
            assertEquals(ProfileId.BF16_C512, report.profile());
        }
    }

    @Test
    void reproducesARunThatUpdatesByMomentumFromCheckpointsWithoutSecondMoments() throws Exception {
        OptimizerSpec sgd = new OptimizerSpec.Sgd(0.9, 0.1, false, 0.01, 1.0);
        TestTrainer.train(temp.resolve("sgd"), TestTrainer.Shape.SMALL.with(sgd), Lie.NONE);
        for (String unit : List.of("INIT", "SEGMENT(0,6)", "UPDATE(5)")) {
            ReplayReport report = replay("sgd", unit, BackendId.VECTOR, 2);
            assertEquals(
                    Verdict.REPRODUCED, report.verdict(), () -> report.reason().orElse(""));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEDIAN", "TRIMMED_MEAN(1)", "KRUM(1)", "MULTI_KRUM(1,2)", "GEOMETRIC_MEDIAN(3)"})
    void reproducesARunThatCombinesRobustly(String rule) throws Exception {
        String folder = rule.replaceAll("\\W", "-");
        TestTrainer.train(temp.resolve(folder), TestTrainer.Shape.SMALL.with(Reduction.parse(rule)), Lie.NONE);
        for (String unit : List.of("REDUCE(3)", "STEP(5)")) {
            ReplayReport report = replay(folder, unit, BackendId.VECTOR, 2);
            assertEquals(
                    Verdict.REPRODUCED, report.verdict(), () -> report.reason().orElse(""));
        }
    }

    private static ReplayReport replay(String run, String unit, BackendId backend, int threads) throws Exception {
        return Replays.replay(temp.resolve(run), unit, backend, threads);
    }
}
