package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.RecordingPaths;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that keeps the combined gradient of every step, and no state between its first and its last. */
class UpdateLogTest {
    private static final TestTrainer.Shape KEEPS = TestTrainer.Shape.SMALL.withUpdates();

    @TempDir
    private static Path temp;

    @BeforeAll
    static void train() throws Exception {
        TestTrainer.train(temp.resolve("run"), KEEPS, Lie.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GRADIENT(5,1)", "REDUCE(3)", "UPDATE(4)", "STEP(5)"})
    void reachesTheStepByUpdatesAloneAndReplaysNoOther(String unit) throws Exception {
        for (BackendId backend : new BackendId[] {BackendId.REFERENCE, BackendId.VECTOR}) {
            ReplayReport report = Replays.replay(temp.resolve("run"), unit, backend, 1);
            assertEquals(
                    Verdict.REPRODUCED, report.verdict(), () -> report.reason().orElse(""));
            assertEquals(1, report.stepsReplayed());
        }
    }

    @Test
    void replaysASegmentFromTheMiddleOfTheRun() throws Exception {
        ReplayReport report = Replays.replay(temp.resolve("run"), "SEGMENT(3,6)", BackendId.VECTOR, 1);
        assertEquals(Verdict.REPRODUCED, report.verdict());
        assertEquals(3, report.stepsReplayed());
    }

    @Test
    void keptGradientThatIsNotTheCommittedOneIsDamageNamedByItsStep() throws Exception {
        TestTrainer.train(temp.resolve("other"), KEEPS, new Lie() {
            @Override
            public Gradients keptUpdate(long step, Gradients honest) {
                if (step != 2) {
                    return honest;
                }
                Gradients other = honest.copy();
                other.tensor(0)[0] = Math.nextUp(other.tensor(0)[0]);
                return other;
            }
        });
        ReplayReport report = Replays.replay(temp.resolve("other"), "STEP(4)", BackendId.VECTOR, 1);
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(report.reason().orElse("").contains("update of step 2 should have root"), report::toString);
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(temp.resolve("other"), "STEP(1)", BackendId.VECTOR, 1)
                        .verdict());
    }

    @Test
    void missingUpdateIsDamageNamedByItsFile() throws Exception {
        TestTrainer.train(temp.resolve("gap"), KEEPS, Lie.NONE);
        Files.delete(temp.resolve("gap").resolve(RecordingPaths.update(1).text()));
        ReplayReport report = Replays.replay(temp.resolve("gap"), "STEP(4)", BackendId.VECTOR, 1);
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(report.reason().orElse("").contains("updates/000000000001.update"), report::toString);
    }

    @Test
    void stateThatTheUpdatesDoNotLeadToIsFoundAtTheStepThatBroke() throws Exception {
        TestTrainer.train(temp.resolve("liar"), KEEPS, new Lie() {
            @Override
            public void afterUpdate(long step, HostState state) {
                if (step == 2) {
                    state.parameter(0)[3] += 0.25f;
                }
            }
        });
        ReplayReport report = Replays.replay(temp.resolve("liar"), "STEP(4)", BackendId.VECTOR, 1);
        assertEquals(Verdict.DIVERGED, report.verdict());
        assertEquals(
                2, report.firstDifference().orElseThrow().step().orElseThrow().value());
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(temp.resolve("liar"), "STEP(1)", BackendId.VECTOR, 1)
                        .verdict());
    }
}
