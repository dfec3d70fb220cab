package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of fault changes exactly what it says, in its step, and the run goes on from there. */
class FaultsTest {
    private static final StepIndex STEP = new StepIndex(3);
    private static final WorkerId WORKER = new WorkerId(2);
    private static final String TENSOR = "transformer.wte.weight";
    private static final BitPlace PLACE = new BitPlace(TENSOR, 7, 11);

    @TempDir
    private static Path folder;

    private static RecordingReader honest;

    @BeforeAll
    static void trainAnHonestTwin() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
        honest = train("honest", List.of());
    }

    private static RecordingReader train(String name, List<PlantedFault> faults) throws Exception {
        TestRuns.train(with(name, faults));
        return RecordingReader.open(folder.resolve(name));
    }

    private static TrainingRun with(String name, List<PlantedFault> faults) throws Exception {
        TrainingRun run = TestRuns.run(folder, TestRuns.CONFIG, name, false);
        return new TrainingRun(
                run.descriptor(), run.dataset(), run.recording(), false, run.trainerKey(), run.policy(), faults);
    }

    /** The record of the faulty step, after everything before it was found untouched. */
    private static StepRecord faulty(PlantedFault fault) throws Exception {
        RecordingReader drill = train(fault.kind() + fault.hashCode(), List.of(fault));
        for (long t = 0; t < STEP.value(); t++) {
            assertEquals(honest.stepRecord(new StepIndex(t)), drill.stepRecord(new StepIndex(t)), "step " + t);
        }
        assertEquals(honest.descriptorDigest(), drill.descriptorDigest());
        assertTrue(drill.last().isFinal(), "the run goes on to its end");
        StepRecord record = drill.stepRecord(STEP);
        assertTrue(record.valid());
        assertEquals(twin().learningRate(), record.learningRate());
        assertNotEquals(twin().stateRootAfter(), record.stateRootAfter());
        return record;
    }

    private static StepRecord twin() throws Exception {
        return honest.stepRecord(STEP);
    }

    @Test
    void aGradientsFaultIsInOneWorkersRootAlone() throws Exception {
        for (PlantedFault fault : List.of(
                new PlantedFault.GradientBit(STEP, WORKER, PLACE),
                new PlantedFault.ScaledGradient(STEP, WORKER, -1f))) {
            StepRecord record = faulty(fault);
            assertEquals(twin().workers().subList(0, 2), record.workers().subList(0, 2));
            assertEquals(
                    twin().workers().get(2).microBatches(),
                    record.workers().get(2).microBatches());
            assertNotEquals(
                    twin().workers().get(2).gradientRoot(),
                    record.workers().get(2).gradientRoot());
        }
    }

    @Test
    void swappedMicroBatchesAreRecordedAsTheyWereRead() throws Exception {
        StepRecord record = faulty(new PlantedFault.SwappedMicroBatches(STEP, WORKER, 0, 1));
        assertEquals(twin().workers().subList(0, 2), record.workers().subList(0, 2));
        assertEquals(
                twin().workers().get(2).microBatches(),
                record.workers().get(2).microBatches().reversed());
    }

    @Test
    void aReductionsFaultLeavesEveryWorkerAsItWas() throws Exception {
        StepRecord record = faulty(new PlantedFault.ReductionBit(STEP, PLACE));
        assertEquals(twin().workers(), record.workers());
        assertNotEquals(twin().combinedRoot(), record.combinedRoot());
    }

    @Test
    void anUpdatesFaultLeavesWorkersAndReductionAsTheyWere() throws Exception {
        for (PlantedFault fault : List.of(
                new PlantedFault.OtherLearningRate(STEP, 0),
                new PlantedFault.OtherLearningRate(STEP, 1.01),
                new PlantedFault.StateBit(STEP, PLACE),
                new PlantedFault.StateBit(STEP, new BitPlace("m." + TENSOR, 7, 11)))) {
            StepRecord record = faulty(fault);
            assertEquals(twin().workers(), record.workers());
            assertEquals(twin().combinedRoot(), record.combinedRoot());
        }
    }

    @Test
    void refusesFaultsThatTheRunHasNoPlaceForBeforeItBegins() throws Exception {
        for (PlantedFault fault : List.of(
                new PlantedFault.OtherLearningRate(new StepIndex(1000), 0),
                new PlantedFault.ScaledGradient(STEP, new WorkerId(3), 2f),
                new PlantedFault.SwappedMicroBatches(STEP, WORKER, 0, 9),
                new PlantedFault.GradientBit(STEP, WORKER, new BitPlace("m." + TENSOR, 7, 11)),
                new PlantedFault.ReductionBit(STEP, new BitPlace("nothing", 0, 0)),
                new PlantedFault.StateBit(STEP, new BitPlace(TENSOR, 1L << 30, 0)))) {
            TrainingRun run = with("refused", List.of(fault));
            RecorderException refused = assertThrows(RecorderException.class, () -> TestRuns.train(run));
            assertTrue(String.valueOf(refused.getMessage()).contains("no place"), refused::toString);
            assertFalse(Files.exists(folder.resolve("refused")));
        }
    }
}
