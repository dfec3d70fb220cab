package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.StateFile;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainerTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @Test
    void aRunRecordsEverythingAndItsRecordsFormTheCommittedTree() throws Exception {
        TrainingResult result = TestRuns.train(run("run", false));
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        assertEquals(7, reader.stepCount());
        assertTrue(reader.last().isFinal());
        assertEquals(result.finalStateRoot(), reader.last().stateRoot());
        assertEquals(5, reader.commitments().size(), "OPEN, 2, 4, 6 and the final one");
        assertEquals(
                List.of(0L, 2L, 4L, 6L, 7L),
                reader.stateIndexes().stream().map(StateIndex::value).toList());
        try (StateFile state = reader.state(new StateIndex(7))) {
            assertEquals(
                    result.finalStateRoot(), state.stateRoot(reader.descriptor().profile(), reader.descriptorDigest()));
        }
        assertEquals(
                reader.stepRecord(new StepIndex(3)).stateRootAfter(),
                reader.stepRecord(new StepIndex(4)).stateRootBefore());
        assertFalse(reader.traceOutputs(new StepIndex(6), new WorkerId(2)).isEmpty());
        assertTrue(Files.exists(folder.resolve("run/released/model.safetensors")));
        assertTrue(Files.exists(folder.resolve("run/released/config.json")));
    }

    @Test
    void aRunThatKeepsNothingEndsInTheSameStateAndItsRecordingEndsAtOpen() throws Exception {
        TrainingResult recorded = TestRuns.train(run("run", false));
        TrainingMeans silent = new TrainingMeans(
                BackendId.REFERENCE,
                1,
                new InProcessWorkers(RecordingMode.NOTHING),
                TestRuns.UNSIGNED,
                TestRuns.IDENTITY,
                TrainingMeans.DEFAULT_ANSWER_LIMIT,
                ExchangeSetting.STAR,
                RecordingMode.NOTHING);
        TrainingResult result = new Trainer(run("silent", false), silent, TrainingListener.NONE).train();
        assertEquals(recorded.finalStateRoot(), result.finalStateRoot());
        RecordingReader reader = RecordingReader.open(folder.resolve("silent"));
        assertEquals(0, reader.stepCount());
        assertEquals(1, reader.commitments().size(), "OPEN alone");
        assertFalse(Files.exists(folder.resolve("silent/released")));
        Trainer again = new Trainer(run("silent", true), silent, TrainingListener.NONE);
        assertThrows(RecorderException.class, again::train);
    }

    @Test
    void theUpdateLogHoldsTheCombinedGradientOfEveryStep() throws Exception {
        String keeps =
                TestRuns.CONFIG.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 6, \"updates\": \"gradients\"");
        TestRuns.train(TestRuns.run(folder, keeps, "run", false));
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        assertEquals(UpdatePolicy.GRADIENTS, reader.descriptor().storage().updates());
        Map<String, Shape> shapes = new TreeMap<>();
        try (StateFile state = reader.state(new StateIndex(0))) {
            state.parameters().forEach((name, tensor) -> shapes.put(name, tensor.shape()));
        }
        for (long t = 0; t < reader.stepCount(); t++) {
            List<F32Tensor> kept = new ArrayList<>();
            reader.update(new StepIndex(t), shapes)
                    .forEach((name, values) ->
                            kept.add(F32Tensor.of(name, Objects.requireNonNull(shapes.get(name)), values)));
            assertEquals(
                    reader.stepRecord(new StepIndex(t)).combinedRoot().digest(),
                    TensorDigests.tensorsRoot(kept, Runnable::run));
        }
    }

    @Test
    void theLossFalls() throws Exception {
        List<Float> losses = new ArrayList<>();
        String longer = TestRuns.CONFIG.replace("\"steps\": 7", "\"steps\": 30");
        TestRuns.train(TestRuns.run(folder, longer, "run", false));
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        for (long t = 0; t < 30; t++) {
            losses.add(reader.stepRecord(new StepIndex(t)).loss());
        }
        assertTrue(losses.getLast() < losses.getFirst() - 1.5f, losses.toString());
    }

    /** The same bytes in every file: twice, with 2 and 4 threads, and with workers as processes. */
    @Test
    void threadsAndProcessesDoNotChangeABit() throws Exception {
        TestRuns.train(run("one", false));
        Map<String, Sha256> expected = TestRuns.digests(folder.resolve("one"));
        TestRuns.train(run("again", false));
        assertEquals(expected, TestRuns.digests(folder.resolve("again")));
        for (int threads : new int[] {2, 4}) {
            String out = "threads-" + threads;
            new Trainer(
                            run(out, false),
                            TestRuns.means(threads, new InProcessWorkers(), TestRuns.UNSIGNED),
                            TrainingListener.NONE)
                    .train();
            assertEquals(expected, TestRuns.digests(folder.resolve(out)), threads + " threads");
        }
        List<OptionalLong> pids = new ArrayList<>();
        new Trainer(
                        run("processes", false),
                        TestRuns.means(1, TestRuns.children(), TestRuns.UNSIGNED),
                        new TrainingListener() {
                            @Override
                            public void workersStarted(List<OptionalLong> started) {
                                pids.addAll(started);
                            }
                        })
                .train();
        assertEquals(3, pids.stream().filter(OptionalLong::isPresent).distinct().count());
        assertEquals(expected, TestRuns.digests(folder.resolve("processes")));
    }

    @ParameterizedTest
    @CsvSource({"EXACT, none, WORKERS", "ORDERED, binary-blocks, WORKERS", "ORDERED, '[[2,0],1]', TOKENS"})
    void everyReductionAndAveragingIsRecorded(String reduction, String tree, String averaging) throws Exception {
        String aggregation = "\"aggregation\": {\"reduction\": \"%s\", \"tree\": \"%s\", \"averaging\": \"%s\"},"
                .formatted(reduction, tree, averaging);
        String json = TestRuns.CONFIG.replace("\"seed\": 5,", "\"seed\": 5, \"trace\": \"none\"," + aggregation);
        TestRuns.train(TestRuns.run(folder, json, "run", false));
        StepRecord record = RecordingReader.open(folder.resolve("run")).stepRecord(new StepIndex(3));
        assertEquals(averaging, record.averaging().name());
        assertTrue(record.reduction().startsWith(reduction), record.reduction());
        assertEquals(reduction.equals("EXACT"), record.exactExponentsRoot().isPresent());
        assertTrue(record.workers().getFirst().traceRoot().isEmpty());
    }

    @Test
    void profileOptimizerAndRobustRuleAreInTheDescriptorAndChangeTheRun() throws Exception {
        String json = TestRuns.CONFIG.replace("\"seed\": 5,", """
            "seed": 5, "profile": "BF16-C512 v1", "trace": "none",
            "optimizer": {"kind": "sgd", "momentum": 0.9, "nesterov": true, "weightDecay": 0.01},
            "aggregation": {"reduction": "MULTI_KRUM(1,2)"},\
            """);
        TrainingResult result = TestRuns.train(TestRuns.run(folder, json, "run", false));
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        assertEquals("BF16-C512 v1", reader.descriptor().profile().text());
        assertEquals(
                new OptimizerSpec.Sgd(0.9, 0, true, 0.01, 1),
                reader.descriptor().optimizer());
        StepRecord record = reader.stepRecord(new StepIndex(3));
        assertEquals("MULTI_KRUM(1,2)", record.reduction());
        assertEquals(Averaging.WORKERS, record.averaging());
        try (StateFile state = reader.state(new StateIndex(7))) {
            assertEquals(2 * state.parameters().size(), state.tensors().size());
        }
        String resumed = json.replace("\"nesterov\": true", "\"nesterov\": false");
        assertNotEquals(
                result.finalStateRoot(),
                TestRuns.train(TestRuns.run(folder, resumed, "other", false)).finalStateRoot());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "\"profile\": \"F64\",|no numeric profile of this version is called \"F64\"",
                "\"aggregation\": {\"reduction\": \"KRUM(2)\"},|KRUM(2) needs at least 5 workers, there are 3",
                "\"aggregation\": {\"reduction\": \"MEDIAN\", \"averaging\": \"TOKENS\"},|averaging WORKERS",
                "\"optimizer\": {\"kind\": \"sgd\", \"beta1\": 0.9},|beta1",
                "\"optimizer\": {\"kind\": \"sgd\", \"nesterov\": true, \"dampening\": 0.5},|nesterov",
            })
    void refusesWhatNoRunCanHave(String key, String reason) {
        String json = TestRuns.CONFIG.replace("\"seed\": 5,", "\"seed\": 5, " + key);
        Exception e = assertThrows(Exception.class, () -> TestRuns.run(folder, json, "run", false));
        assertTrue(String.valueOf(e.getMessage()).contains(reason), e::toString);
    }

    /** A gradient that overflows makes the step INVALID: cursor and schedule go on, the update count does not. */
    @Test
    void anInvalidStepIsRecordedAndChangesNoTensor() throws Exception {
        String drill = "\"drill\": {\"kind\": \"scale-gradient\", \"step\": 3, \"worker\": 1, \"factor\": 3e38},";
        String every = TestRuns.CONFIG
                .replace("\"seed\": 5,", "\"seed\": 5," + drill)
                .replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 1");
        TrainingResult result = TestRuns.train(TestRuns.run(folder, every, "run", false));
        assertEquals(1, result.invalidSteps());
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        StepRecord record = reader.stepRecord(new StepIndex(3));
        assertFalse(record.valid());
        assertTrue(reader.stepRecord(new StepIndex(4)).valid());
        try (StateFile before = reader.state(new StateIndex(3));
                StateFile after = reader.state(new StateIndex(4))) {
            assertEquals(before.tensorsRoot(), after.tensorsRoot());
            Scalars from = before.scalars();
            Scalars to = after.scalars();
            assertEquals(from.updateCount(), to.updateCount());
            assertEquals(from.rngCounter(), to.rngCounter());
            assertEquals(4, to.schedulePosition());
            assertEquals(from.samplePosition() + 6, to.samplePosition());
            assertNotEquals(record.stateRootBefore(), record.stateRootAfter());
        }
    }

    @Test
    void aDrillChangesTheRunButNotItsDescriptor() throws Exception {
        TrainingResult honest = TestRuns.train(run("honest", false));
        String drill = "\"drill\": {\"kind\": \"scale-gradient\", \"step\": 3, \"worker\": 2, \"factor\": 1.01},";
        TrainingResult liar = TestRuns.train(
                TestRuns.run(folder, TestRuns.CONFIG.replace("\"seed\": 5,", "\"seed\": 5," + drill), "liar", false));
        RecordingReader a = RecordingReader.open(folder.resolve("honest"));
        RecordingReader b = RecordingReader.open(folder.resolve("liar"));
        assertEquals(a.descriptorDigest(), b.descriptorDigest());
        assertEquals(a.stepRecord(new StepIndex(2)), b.stepRecord(new StepIndex(2)));
        StepRecord honestStep = a.stepRecord(new StepIndex(3));
        StepRecord lyingStep = b.stepRecord(new StepIndex(3));
        assertEquals(honestStep.workers().subList(0, 2), lyingStep.workers().subList(0, 2));
        assertNotEquals(
                honestStep.workers().get(2).gradientRoot(),
                lyingStep.workers().get(2).gradientRoot());
        assertEquals(
                a.traceOutputs(new StepIndex(3), new WorkerId(2)).reversed().subList(1, 2),
                b.traceOutputs(new StepIndex(3), new WorkerId(2)).reversed().subList(1, 2),
                "only what is emitted differs");
        assertNotEquals(honest.finalStateRoot(), liar.finalStateRoot());
    }

    @Test
    void noWorkerStartsBeforeOpenIsPublic() throws Exception {
        AtomicInteger launched = new AtomicInteger();
        WorkerLauncher counting = (worker, port, token) -> {
            launched.incrementAndGet();
            return new InProcessWorkers().launch(worker, port, token);
        };
        CommitmentSink unreachable = commitment -> {
            throw new RecorderException("the log does not answer");
        };
        assertThrows(
                RecorderException.class,
                () -> new Trainer(run("run", false), TestRuns.means(1, counting, unreachable), TrainingListener.NONE)
                        .train());
        assertEquals(0, launched.get());
        assertFalse(Files.exists(folder.resolve("run/commitments/0000.bin")));
    }

    @Test
    void anExistingFolderAFinishedRunAndAnotherConfigurationAreRefused() throws Exception {
        TestRuns.train(run("run", false));
        Map<String, Sha256> before = TestRuns.digests(folder.resolve("run"));
        TestRuns.assertMessage("exists", () -> TestRuns.train(run("run", false)));
        TestRuns.assertMessage("finished", () -> TestRuns.train(run("run", true)));
        String other = TestRuns.CONFIG.replace("\"seed\": 5", "\"seed\": 6");
        TestRuns.assertMessage(
                "resume with the configuration", () -> TestRuns.train(TestRuns.run(folder, other, "run", true)));
        assertEquals(before, TestRuns.digests(folder.resolve("run")));
        assertThrows(RecorderException.class, () -> TestRuns.train(run("nowhere", true)));
    }

    private TrainingRun run(String out, boolean resume) throws Exception {
        return TestRuns.run(folder, TestRuns.CONFIG, out, resume);
    }
}
