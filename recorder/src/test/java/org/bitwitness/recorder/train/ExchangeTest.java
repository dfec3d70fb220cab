package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.Map;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients that travel directly between workers record the same bytes as those that pass through the coordinator. */
class ExchangeTest {
    private static final String SHORT = TestRuns.CONFIG.replace("\"steps\": 7", "\"steps\": 3");

    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    /** Rules that combine element by element, with parameters of more than one segment. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"workers\": 3",
                "\"workers\": 1",
                "\"workers\": 6, \"aggregation\": {\"tree\": \"binary-blocks\"}",
                "\"workers\": 3, \"aggregation\": {\"averaging\": \"WORKERS\", \"tree\": \"[2,[0,1]]\"}",
                "\"workers\": 3, \"aggregation\": {\"reduction\": \"EXACT\"}",
                "\"workers\": 2, \"aggregation\": {\"reduction\": \"EXACT\", \"averaging\": \"WORKERS\"}",
                "\"workers\": 4, \"aggregation\": {\"reduction\": \"MEDIAN\"}",
                "\"workers\": 4, \"aggregation\": {\"reduction\": \"TRIMMED_MEAN(1)\"}"
            })
    void bothWaysRecordTheSameBytes(String workers) throws Exception {
        String config = SHORT.replace("\"workers\": 3", workers).replace("\"ff\": 48", "\"ff\": 2100");
        assertEquals(recorded(config, "star", ExchangeSetting.STAR), recorded(config, "direct", direct(1 << 20)));
    }

    /** One micro-batch, so that gradients go out of the backward pass, and several; updates kept as well. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void bucketsAndMicroBatchesChangeNoBit(int microBatches) throws Exception {
        String config = SHORT.replace("\"microBatches\": 2", "\"microBatches\": " + microBatches)
                .replace("\"commitEvery\"", "\"updates\": \"gradients\", \"commitEvery\"");
        Map<String, Sha256> star = recorded(config, "star", ExchangeSetting.STAR);
        for (int bucketBytes : new int[] {1, 5_000, 1 << 28}) {
            assertEquals(star, recorded(config, "direct-" + bucketBytes, direct(bucketBytes)));
        }
    }

    /** A rule that measures whole gradients needs them in one place, whatever was asked for. */
    @Test
    void aRuleThatMeasuresWholeGradientsRecordsTheSameBytes() throws Exception {
        String config =
                SHORT.replace("\"workers\": 3", "\"workers\": 4, \"aggregation\": {\"reduction\": \"KRUM(1)\"}");
        assertEquals(recorded(config, "star", ExchangeSetting.STAR), recorded(config, "direct", direct(1 << 20)));
    }

    @Test
    void aStepWithoutAFiniteNormIsInvalidInBothWays() throws Exception {
        String config = SHORT.replace("\"seed\": 5", """
                "seed": 5, "drill": {"kind": "scale-gradient", "step": 1, "worker": 2, "factor": 3e38}""");
        Map<String, Sha256> star = recorded(config, "star", ExchangeSetting.STAR);
        assertFalse(RecordingReader.open(folder.resolve("star"))
                .stepRecord(new StepIndex(1))
                .valid());
        assertEquals(star, recorded(config, "direct", direct(1 << 20)));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aKilledWorkerIsNamedAndTheOtherWayGoesOnToTheSameBytes() throws Exception {
        WorkerKiller killer = new WorkerKiller(4);
        TrainingRun run = TestRuns.run(folder, TestRuns.CONFIG, "run", false);
        RecorderException lost = assertThrows(
                RecorderException.class,
                () -> new Trainer(run, means(TestRuns.children(), direct(1 << 20)), killer).train());
        killer.assertNamed(lost);
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "run", true));
        assertEquals(recorded(TestRuns.CONFIG, "whole", direct(1 << 20)), TestRuns.digests(folder.resolve("run")));
    }

    private Map<String, Sha256> recorded(String config, String out, ExchangeSetting exchange) throws Exception {
        TrainingRun run = TestRuns.run(folder, config, out, false);
        new Trainer(run, means(new InProcessWorkers(), exchange), TrainingListener.NONE).train();
        return TestRuns.digests(folder.resolve(out));
    }

    private static ExchangeSetting direct(int bucketBytes) {
        return ExchangeSetting.direct(bucketBytes);
    }

    private static TrainingMeans means(WorkerLauncher launcher, ExchangeSetting exchange) {
        return new TrainingMeans(
                BackendId.REFERENCE,
                1,
                launcher,
                TestRuns.UNSIGNED,
                TestRuns.IDENTITY,
                TrainingMeans.DEFAULT_ANSWER_LIMIT,
                exchange);
    }
}
