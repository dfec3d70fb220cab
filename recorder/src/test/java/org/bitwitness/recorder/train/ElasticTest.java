package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Workers that leave and join between steps, as planned and by dying. */
class ElasticTest {
    private static final String PLANNED = config(
            "\"elastic\": [{\"atStep\": 3, \"workers\": [0, 2]}," + " {\"atStep\": 5, \"workers\": [3, 0, 1, 2]}]");

    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @Test
    void everyStepHasTheWorkersOfThePlanAndNoSampleIsReadTwiceOrNever() throws Exception {
        TestRuns.train(TestRuns.run(folder, PLANNED, "run", false));
        List<StepRecord> records = records("run");
        assertEquals(
                List.of("0 1 2", "0 1 2", "0 1 2", "0 2", "0 2", "3 0 1 2", "3 0 1 2"),
                records.stream().map(ElasticTest::workers).toList());
        assertReadsTheOrder(records);
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        try (var state = reader.state(new StateIndex(4))) {
            assertEquals(records.get(3).layout().digest(), state.scalars().layoutDigest());
        }
    }

    /** Checkpoints are rarer than changes, so steps of two layouts are repeated and compared. */
    @Test
    void aResumeAcrossChangesGivesTheSameBytes() throws Exception {
        String rare = PLANNED.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 7");
        TestRuns.train(TestRuns.run(folder, rare, "whole", false));
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == 3) {
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        assertThrows(
                RecorderException.class,
                () -> new Trainer(
                                TestRuns.run(folder, rare, "cut", false),
                                TestRuns.means(1, new InProcessWorkers(), failing),
                                TrainingListener.NONE)
                        .train());
        TestRuns.train(TestRuns.run(folder, rare, "cut", true));
        assertEquals(TestRuns.digests(folder.resolve("whole")), TestRuns.digests(folder.resolve("cut")));
    }

    /** SIGKILL once a step is done; the test waits until the process is gone, so nothing depends on who is faster. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aKilledWorkerIsLeftOutFromTheNextStepOnAndTheRestComputesWhatAPlanWouldHave() throws Exception {
        String drops = config("\"onLostWorker\": \"continue\"");
        List<String> told = new ArrayList<>();
        new Trainer(
                        TestRuns.run(folder, drops, "lost", false),
                        TestRuns.means(1, TestRuns.children(), TestRuns.UNSIGNED),
                        killerAfterStep2(told))
                .train();
        assertEquals(List.of("step 3 without worker 1"), told);
        List<StepRecord> lost = records("lost");
        String plan = config("\"elastic\": [{\"atStep\": 3, \"workers\": [0, 2]}]");
        TestRuns.train(TestRuns.run(folder, plan, "planned", false));
        List<StepRecord> planned = records("planned");
        for (int t = 0; t < 7; t++) {
            assertEquals(workers(planned.get(t)), workers(lost.get(t)));
            assertEquals(planned.get(t).combinedRoot(), lost.get(t).combinedRoot(), "step " + t);
            assertEquals(planned.get(t).loss(), lost.get(t).loss(), "step " + t);
        }
        assertReadsTheOrder(lost);
    }

    /** The worker is there again, but the recorded steps are repeated without it, and so are those that follow. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aResumeAfterALossRepeatsTheRecordedStepsWithTheWorkersThatTheyHad() throws Exception {
        String drops =
                config("\"onLostWorker\": \"continue\"").replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 7");
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == 3) {
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        List<String> told = new ArrayList<>();
        assertThrows(
                RecorderException.class,
                () -> new Trainer(
                                TestRuns.run(folder, drops, "cut", false),
                                TestRuns.means(1, TestRuns.children(), failing),
                                killerAfterStep2(told))
                        .train());
        assertEquals(List.of("step 3 without worker 1"), told);
        TestRuns.train(TestRuns.run(folder, drops, "cut", true));
        List<StepRecord> records = records("cut");
        assertEquals(
                List.of("0 1 2", "0 1 2", "0 1 2", "0 2", "0 2", "0 2", "0 2"),
                records.stream().map(ElasticTest::workers).toList());
        assertReadsTheOrder(records);
    }

    /** Lost in the update of its last step: the next one has no place for it. */
    @Test
    void aWorkerThatIsLostWhenItWasToLeaveChangesNothing() throws Exception {
        String leaves = "\"elastic\": [{\"atStep\": 3, \"workers\": [0, 2]}]";
        LostWorkerException lost =
                new LostWorkerException(new WorkerId(1), "worker 1 is lost", new IOException("planted"));
        Layouts going = atStep3(leaves + ", \"onLostWorker\": \"continue\"");
        going.drop(new StepIndex(3), lost);
        assertEquals(
                List.of(new WorkerId(0), new WorkerId(2)),
                going.of(new StepIndex(3)).workers());
        Layouts stopping = atStep3(leaves);
        assertThrows(LostWorkerException.class, () -> stopping.drop(new StepIndex(3), lost));
    }

    private Layouts atStep3(String keys) throws Exception {
        Layouts layouts = Layouts.ofNewRun(
                TestRuns.run(folder, config(keys), "unused", false).descriptor());
        for (long step = 0; step <= 3; step++) {
            layouts.of(new StepIndex(step));
        }
        return layouts;
    }

    /** SIGKILLs worker 1 once step 2 is done, and notes who is left out from when on. */
    private static TrainingListener killerAfterStep2(List<String> told) {
        return new TrainingListener() {
            private final List<ProcessHandle> workers = new ArrayList<>();

            @Override
            public void workersStarted(List<OptionalLong> pids) {
                pids.forEach(
                        pid -> workers.add(ProcessHandle.of(pid.getAsLong()).orElseThrow()));
            }

            @Override
            public void step(StepIndex done, float loss, long tokens, boolean again) {
                if (done.value() == 2) {
                    end(workers.get(1));
                }
            }

            @Override
            public void workerDropped(StepIndex step, LostWorkerException lost) {
                told.add("step " + step + " without worker " + lost.worker());
            }
        };
    }

    @Test
    void aPlanThatCannotBeIsRefusedBeforeAnythingIsMade() {
        assertRefused("\"elastic\": [{\"atStep\": 0, \"workers\": [0]}]", "atStep");
        assertRefused(
                "\"elastic\": [{\"atStep\": 4, \"workers\": [0]}, {\"atStep\": 4, \"workers\": [1]}]", "ascending");
        assertRefused("\"elastic\": [{\"atStep\": 4, \"workers\": [0, 0]}]", "twice");
        assertRefused("\"elastic\": [{\"atStep\": 4, \"workers\": []}]", "from 1 to");
        assertRefused("\"onLostWorker\": \"wait\"", "continue");
    }

    /** A rule that needs more workers than are left stops the run, as it does where nothing may change. */
    @Test
    void aPlanWithTooFewWorkersForItsRuleIsRefused() {
        String krum = config(
                "\"aggregation\": {\"reduction\": \"KRUM(0)\"}," + " \"elastic\": [{\"atStep\": 4, \"workers\": [0]}]");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> TestRuns.run(folder, krum, "run", false));
        assertTrue(String.valueOf(e.getMessage()).contains("KRUM(0)"), e.getMessage());
    }

    private void assertRefused(String keys, String part) {
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> TestRuns.run(folder, config(keys), "run", false));
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    /** Every sample that was read, in the order of steps, workers and micro-batches, is the next one of the data order. */
    private void assertReadsTheOrder(List<StepRecord> records) throws Exception {
        try (Dataset dataset = Dataset.open(folder.resolve("data"))) {
            var data =
                    TestRuns.run(folder, PLANNED, "unused", false).descriptor().data();
            SampleOrder order = SampleOrder.of(data, dataset.manifest());
            long place = 0;
            for (StepRecord record : records) {
                for (WorkerRecord worker : record.workers()) {
                    for (MicroBatchRecord batch : worker.microBatches()) {
                        for (long sample : batch.sampleIds()) {
                            DataCursor at = DataCursor.START.advance(place++, order.passLength());
                            assertEquals(order.place(at).sample(), sample, "place " + (place - 1));
                        }
                    }
                }
            }
        }
    }

    private List<StepRecord> records(String run) throws ProtocolException {
        RecordingReader reader = RecordingReader.open(folder.resolve(run));
        List<StepRecord> records = new ArrayList<>();
        for (long t = 0; t < reader.stepCount(); t++) {
            records.add(reader.stepRecord(new StepIndex(t)));
        }
        return records;
    }

    private static String workers(StepRecord record) {
        return String.join(
                " ", record.layout().workers().stream().map(WorkerId::toString).toList());
    }

    private static void end(ProcessHandle process) {
        process.destroyForcibly();
        try {
            process.onExit().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the worker does not end", e);
        }
    }

    private static String config(String keys) {
        return TestRuns.CONFIG.replace("\"seed\": 5,", "\"seed\": 5, " + keys + ",");
    }
}
