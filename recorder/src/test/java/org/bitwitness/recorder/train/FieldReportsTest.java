package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What went wrong for others, as small cases of our own. */
class FieldReportsTest {
    private static final String FOUR = TestRuns.CONFIG.replace("\"workers\": 3", "\"workers\": 4");

    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @Test
    void anotherOrderOfTheSameFourGradientsGivesOtherBitsAndTheRecordedTreeDecides() throws Exception {
        float[] values = {1e8f, 1f, -1e8f, 1f};
        assertEquals(1f, combined("ascending", values));
        assertEquals(1f, combined("[[[2,3],0],1]", values));
        assertEquals(0f, combined("[[[1,2],3],0]", values));
        assertEquals(0f, combined("[[0,1],[2,3]]", values));
        assertNotEquals(
                descriptor("ascending").reductionText(),
                descriptor("[[0,1],[2,3]]").reductionText());
    }

    @Test
    void unequalTokenCountsAreNotAveragedAsEqualOnes() throws Exception {
        List<WorkerLoss> losses = List.of(new WorkerLoss(4.0 + 3.0, 4), new WorkerLoss(2.0, 2));
        assertEquals(1.5f, reduced(losses, Averaging.TOKENS).loss(), "over all tokens");
        assertEquals(1.375f, reduced(losses, Averaging.WORKERS).loss(), "over workers, which the record names");
        assertEquals(1.75f, reduced(losses.subList(0, 1), Averaging.TOKENS).loss(), "of one worker alone");
    }

    @Test
    void everyGradientCountsOnceInTheNormWhoeverComputedIt() throws Exception {
        try (StepEngine engine = engine(descriptor("ascending"))) {
            Gradients sum = Gradients.zero(engine.manifest());
            sum.tensor(0)[0] = 3;
            sum.tensor(0)[1] = 4;
            sum.tensor(1)[0] = 12;
            ReduceResult reduced = engine.reduce(
                    new CombineResult(sum, 2, List.of(), false),
                    List.of(new WorkerLoss(1, 1), new WorkerLoss(1, 1)),
                    Averaging.TOKENS,
                    6.5);
            assertEquals(13.0, reduced.norm());
            assertEquals((float) (6.5 / (13 + 1e-6)), reduced.clip());
        }
    }

    @Test
    void theLearningRateIsAFunctionOfTheStepSoAResumeCannotShiftIt() throws Exception {
        ScheduleSpec schedule = descriptor("ascending").schedule();
        List<Double> rates = new ArrayList<>();
        for (long t = 0; t < schedule.steps(); t++) {
            rates.add(LearningRate.at(schedule, t));
        }
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "whole", false));
        RecordingReader reader = RecordingReader.open(folder.resolve("whole"));
        for (int t = 0; t < rates.size(); t++) {
            assertEquals(rates.get(t), reader.stepRecord(new StepIndex(t)).learningRate());
        }
        assertNotEquals(rates.get(2), rates.get(3));
    }

    /** A resume draws the very masks that the run would have drawn, because their address is all they depend on. */
    @Test
    void aResumeInTheMiddleDrawsTheDropoutOfTheRunThatWasNotInterrupted() throws Exception {
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "whole", false));
        Trainer cut = new Trainer(
                TestRuns.run(folder, TestRuns.CONFIG, "cut", false),
                TestRuns.means(1, new InProcessWorkers(), commitment -> {
                    if (commitment.sequence() == 2) {
                        throw new RecorderException("the log is gone");
                    }
                    return TestRuns.UNSIGNED.commit(commitment);
                }),
                TrainingListener.NONE);
        TestRuns.assertMessage("the log is gone", cut::train);
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "cut", true));
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG.replace("0.1}", "0}"), "without", false));
        assertEquals(traceRoots("whole"), traceRoots("cut"));
        assertNotEquals(traceRoots("whole"), traceRoots("without"));
    }

    private List<String> traceRoots(String run) throws Exception {
        List<String> roots = new ArrayList<>();
        RecordingReader reader = RecordingReader.open(folder.resolve(run));
        for (long t = 0; t < 7; t++) {
            reader.stepRecord(new StepIndex(t))
                    .workers()
                    .forEach(worker ->
                            roots.add(worker.worker() + " " + worker.traceRoot().orElseThrow()));
        }
        return roots;
    }

    private float combined(String tree, float[] values) throws Exception {
        Descriptor descriptor = descriptor(tree);
        try (StepEngine engine = engine(descriptor)) {
            List<Gradients> workers = new ArrayList<>();
            for (float value : values) {
                Gradients gradients = Gradients.zero(engine.manifest());
                gradients.tensor(0)[0] = value;
                workers.add(gradients);
            }
            return engine.combine(workers, RunSetup.reduction(descriptor, workers.size()))
                    .combined()
                    .tensor(0)[0];
        }
    }

    private ReduceResult reduced(List<WorkerLoss> losses, Averaging averaging) throws Exception {
        try (StepEngine engine = engine(descriptor("ascending"))) {
            Gradients zero = Gradients.zero(engine.manifest());
            return engine.reduce(new CombineResult(zero, losses.size(), List.of(), false), losses, averaging, 1.0);
        }
    }

    private Descriptor descriptor(String tree) throws Exception {
        String json = FOUR.replace("\"schedule\"", "\"aggregation\": {\"tree\": \"" + tree + "\"}, \"schedule\"");
        try (Dataset dataset = Dataset.open(folder.resolve("data"))) {
            return TestRuns.config(folder, json).descriptor(dataset.manifest());
        }
    }

    private static StepEngine engine(Descriptor descriptor) {
        return StepEngine.create(RunSetup.tensors(descriptor), Backends.create(BackendId.REFERENCE, 1));
    }
}
