package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that keep a share of the moments each record the same bytes as workers that keep all of them. */
class ShardedStateTest {
    private static final String SHORT = TestRuns.CONFIG.replace("\"steps\": 7", "\"steps\": 3");

    /** Parameters of more than one segment, so that a tensor has several owners. */
    private static final String WIDE =
            SHORT.replace("\"ff\": 48", "\"ff\": 2100").replace("\"steps\": 3", "\"steps\": 2");

    private static final String SGD = "\"optimizer\": {\"kind\": \"sgd\", \"maxNorm\": null, \"weightDecay\": 0.1}";

    @TempDir
    Path folder;

    private List<Long> moments = List.of();
    private long wholeMoments;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @ParameterizedTest
    @CsvSource({
        "2, gpt2, adamw, none",
        "3, gpt2, sgd, none",
        "3, llama, adamw, gradients",
        "4, llama, sgd, none",
    })
    void theSameBytesAreRecordedAndEveryWorkerKeepsItsShareOnly(
            int workers, String family, String optimizer, String updates) throws Exception {
        String config = WIDE.replace("\"workers\": 3", "\"workers\": " + workers)
                .replace("\"model\": {", "\"model\": {\"family\": \"" + family + "\", ")
                .replace(
                        "\"seed\": 5",
                        "\"seed\": 5, \"optimizer\": {\"kind\": \"%s\", \"maxNorm\": 0.5}".formatted(optimizer))
                .replace("\"commitEvery\"", "\"updates\": \"" + updates + "\", \"commitEvery\"");
        Map<String, Sha256> replicated = recorded(config, "star", ExchangeSetting.STAR);
        assertEquals(
                workers, moments.stream().filter(held -> held == wholeMoments).count());
        assertEquals(replicated, recorded(config, "sharded", sharded()));
        assertEquals(wholeMoments, moments.stream().mapToLong(Long::longValue).sum());
        long segment = (optimizer.equals("sgd") ? 1L : 2L) * 65_536 * Float.BYTES;
        for (long held : moments) {
            assertTrue(held <= wholeMoments / workers + segment, () -> moments + " of " + wholeMoments);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5_000})
    void bucketsOfAnySizeChangeNoBit(int bucketBytes) throws Exception {
        assertEquals(
                recorded(SHORT, "star", ExchangeSetting.STAR),
                recorded(SHORT, "sharded", ExchangeSetting.sharded(bucketBytes)));
    }

    @Test
    void aStepWithoutAFiniteNormIsInvalidAndChangesNoShare() throws Exception {
        String config = SHORT.replace("\"seed\": 5", """
                "seed": 5, "drill": {"kind": "scale-gradient", "step": 1, "worker": 2, "factor": 3e38}""");
        Map<String, Sha256> star = recorded(config, "star", ExchangeSetting.STAR);
        assertFalse(step("star", 1).valid());
        assertEquals(star, recorded(config, "sharded", sharded()));
    }

    /** Only some elements would overflow: those who own none of them must not have updated theirs. */
    @Test
    void aStepThatOneShareCannotTakeIsTakenByNone() throws Exception {
        String config = SHORT.replace("\"base\": 0.01", "\"base\": 3e38, \"min\": 1e-3")
                .replace("\"warmup\": 2", "\"warmup\": 0, \"kind\": \"constant\"")
                .replace("\"seed\": 5", "\"seed\": 5, " + SGD + """
                        , "drill": {"kind": "scale-gradient", "step": 0, "worker": 2, "factor": 10}""");
        Map<String, Sha256> star = recorded(config, "star", ExchangeSetting.STAR);
        StepRecord first = step("star", 0);
        assertFalse(first.valid());
        assertTrue(Double.isFinite(first.norm()), "the norm is finite, so that every worker has to say");
        assertEquals(star, recorded(config, "sharded", sharded()));
    }

    /** A drill may turn a bit of a moment over, wherever that is kept. */
    @Test
    void aBitOfAMomentThatADrillTurnsOverIsTurnedOverAtItsOwner() throws Exception {
        PlantedFault fault = new PlantedFault.StateBit(
                new StepIndex(1), new BitPlace("m.transformer.h.0.mlp.c_fc.weight", 66_000, 7));
        Map<String, Sha256> star = recorded(run(WIDE, "star", fault), ExchangeSetting.STAR);
        assertEquals(star, recorded(run(WIDE, "sharded", fault), sharded()));
        assertNotEquals(star, recorded(WIDE, "honest", sharded()));
    }

    @Test
    void workersThatLeaveAndJoinGetTheSharesOfTheNewLayout() throws Exception {
        String config = TestRuns.CONFIG.replace("\"seed\": 5", """
                "seed": 5, "elastic": [{"atStep": 2, "workers": [0, 2]}, {"atStep": 4, "workers": [0, 1, 2]}]""");
        assertEquals(recorded(config, "star", ExchangeSetting.STAR), recorded(config, "sharded", sharded()));
    }

    /** Moments are sharded before the cut and after it, or only before it. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false"})
    void aRunThatIsResumedEndsInTheSameBytes(boolean before, boolean after) throws Exception {
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == 2) {
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        TrainingMeans cut = means(new InProcessWorkers(), failing, before ? sharded() : ExchangeSetting.STAR);
        TrainingRun run = TestRuns.run(folder, TestRuns.CONFIG, "run", false);
        TestRuns.assertMessage("the log is gone", () -> new Trainer(run, cut, TrainingListener.NONE).train());
        TrainingMeans rest = means(new InProcessWorkers(), TestRuns.UNSIGNED, after ? sharded() : ExchangeSetting.STAR);
        new Trainer(TestRuns.run(folder, TestRuns.CONFIG, "run", true), rest, TrainingListener.NONE).train();
        assertEquals(recorded(TestRuns.CONFIG, "whole", ExchangeSetting.STAR), digests("run"));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aKilledWorkerIsNamedAndAResumeReachesTheSameBytes() throws Exception {
        WorkerKiller killer = new WorkerKiller(4);
        TrainingRun run = TestRuns.run(folder, TestRuns.CONFIG, "run", false);
        TrainingMeans processes = means(TestRuns.children(), TestRuns.UNSIGNED, sharded());
        RecorderException lost =
                assertThrows(RecorderException.class, () -> new Trainer(run, processes, killer).train());
        killer.assertNamed(lost);
        TrainingMeans threads = means(new InProcessWorkers(), TestRuns.UNSIGNED, sharded());
        new Trainer(TestRuns.run(folder, TestRuns.CONFIG, "run", true), threads, TrainingListener.NONE).train();
        assertEquals(recorded(TestRuns.CONFIG, "whole", ExchangeSetting.STAR), digests("run"));
    }

    @Test
    void whatCannotBeShardedIsRefusedBeforeAnythingIsWritten() throws Exception {
        IllegalArgumentException star = assertThrows(
                IllegalArgumentException.class, () -> new ExchangeSetting(ExchangeSetting.Path.STAR, 1, true));
        assertTrue(String.valueOf(star.getMessage()).contains("add --exchange direct"), star::toString);
        String krum = SHORT.replace("\"workers\": 3", "\"workers\": 4, \"aggregation\": {\"reduction\": \"KRUM(1)\"}");
        TestRuns.assertMessage("KRUM(1) measures whole gradients", () -> recorded(krum, "krum", sharded()));
        PlantedFault sum =
                new PlantedFault.ReductionBit(new StepIndex(1), new BitPlace("transformer.wte.weight", 1, 7));
        TrainingRun drill = run(SHORT, "drill", sum);
        TestRuns.assertMessage("changes the sum", () -> recorded(drill, sharded()));
        assertFalse(Files.exists(folder.resolve("krum")) || Files.exists(folder.resolve("drill")));
    }

    private StepRecord step(String run, long step) throws Exception {
        return RecordingReader.open(folder.resolve(run)).stepRecord(new StepIndex(step));
    }

    private Map<String, Sha256> digests(String run) throws Exception {
        return TestRuns.digests(folder.resolve(run));
    }

    private TrainingRun run(String config, String out, PlantedFault fault) throws Exception {
        TrainingRun run = TestRuns.run(folder, config, out, false);
        return new TrainingRun(
                run.descriptor(),
                run.dataset(),
                run.recording(),
                false,
                run.trainerKey(),
                run.policy(),
                List.of(fault));
    }

    private Map<String, Sha256> recorded(String config, String out, ExchangeSetting exchange) throws Exception {
        return recorded(TestRuns.run(folder, config, out, false), exchange);
    }

    private Map<String, Sha256> recorded(TrainingRun run, ExchangeSetting exchange) throws Exception {
        TrainingListener listener = new TrainingListener() {
            @Override
            public void momentsHeld(List<Long> bytes, long whole) {
                moments = bytes;
                wholeMoments = whole;
            }
        };
        new Trainer(run, means(new InProcessWorkers(), TestRuns.UNSIGNED, exchange), listener).train();
        return TestRuns.digests(run.recording());
    }

    private static ExchangeSetting sharded() {
        return ExchangeSetting.sharded(1 << 20);
    }

    private static TrainingMeans means(WorkerLauncher launcher, CommitmentSink sink, ExchangeSetting exchange) {
        return new TrainingMeans(
                BackendId.REFERENCE,
                1,
                launcher,
                sink,
                TestRuns.IDENTITY,
                TrainingMeans.DEFAULT_ANSWER_LIMIT,
                exchange);
    }
}
