package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that was cut off and goes on ends in the same bytes as one that was not, or says why it cannot go on. */
class ResumeTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @Test
    void aResumedRunThatKeepsUpdatesEndsInTheSameFiles() throws Exception {
        String keeps =
                TestRuns.CONFIG.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 6, \"updates\": \"gradients\"");
        TestRuns.train(TestRuns.run(folder, keeps, "whole", false));
        trainUntilTheLogIsGone(keeps, 2);
        TestRuns.train(TestRuns.run(folder, keeps, "cut", true));
        assertEquals(TestRuns.digests(folder.resolve("whole")), TestRuns.digests(folder.resolve("cut")));
    }

    /** The sink fails before or after it has made commitment {@code sequence} public; a resume ends in the same bytes. */
    @ParameterizedTest
    @CsvSource({"0,before", "0,after", "1,before", "1,after", "3,before", "3,after", "4,before", "4,after"})
    void aRunCutOffAtAnyCommitmentEndsInTheSameBytesAfterAResume(int sequence, String when) throws Exception {
        TestRuns.train(run("whole", false));
        List<String> log = new ArrayList<>();
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == sequence && when.equals("before")) {
                throw new RecorderException("the log is gone");
            }
            log.add(commitment.digest().hex());
            if (commitment.sequence() == sequence) {
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        RecorderException cut = assertThrows(
                RecorderException.class,
                () -> new Trainer(
                                run("cut", false),
                                TestRuns.means(1, new InProcessWorkers(), failing),
                                TrainingListener.NONE)
                        .train());
        assertEquals("the log is gone", cut.getMessage());
        if (sequence > 0) {
            RecordingReader reader = RecordingReader.open(folder.resolve("cut"));
            reader.checkSteps();
            assertEquals(sequence - 1, reader.last().sequence());
        }
        CommitmentSink logging = commitment -> {
            log.add(commitment.digest().hex());
            return TestRuns.UNSIGNED.commit(commitment);
        };
        new Trainer(run("cut", true), TestRuns.means(1, new InProcessWorkers(), logging), TrainingListener.NONE)
                .train();
        assertEquals(TestRuns.digests(folder.resolve("whole")), TestRuns.digests(folder.resolve("cut")));
        assertEquals(5, log.stream().distinct().count(), "no second story: the same commitment is made again");
    }

    @Test
    void oneProcessWritesARecordingAtATime() throws Exception {
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == 2) {
                TestRuns.assertMessage("already writes the recording", () -> TestRuns.train(run("cut", true)));
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        Trainer first = new Trainer(
                run("cut", false), TestRuns.means(1, new InProcessWorkers(), failing), TrainingListener.NONE);
        TestRuns.assertMessage("the log is gone", first::train);
        TestRuns.requireReadable(folder.resolve("cut"));
        TestRuns.train(run("cut", true));
        assertFalse(Files.exists(folder.resolve("cut/.writer-lock")), "a recording holds nothing else");
    }

    /** Checkpoints rarer than commitments: a resume repeats recorded steps and compares them. */
    @Test
    void aResumeRepeatsRecordedStepsFromAnEarlierState() throws Exception {
        String rare = TestRuns.CONFIG.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 5");
        TestRuns.train(TestRuns.run(folder, rare, "whole", false));
        trainUntilTheLogIsGone(rare, 3);
        AtomicInteger repeated = new AtomicInteger();
        new Trainer(
                        TestRuns.run(folder, rare, "cut", true),
                        TestRuns.means(1, new InProcessWorkers(), TestRuns.UNSIGNED),
                        new TrainingListener() {
                            @Override
                            public void step(StepIndex step, float loss, long tokens, boolean again) {
                                repeated.addAndGet(again ? 1 : 0);
                            }
                        })
                .train();
        assertEquals(4, repeated.get(), "states 0 and 5 exist, steps 0 to 3 are committed");
        assertEquals(TestRuns.digests(folder.resolve("whole")), TestRuns.digests(folder.resolve("cut")));
    }

    @Test
    void aDamagedStoredStateIsNotResumedFrom() throws Exception {
        trainUntilTheLogIsGone(TestRuns.CONFIG, 2);
        Path model = folder.resolve("cut/states/000000000002/model.safetensors");
        byte[] bytes = Files.readAllBytes(model);
        bytes[bytes.length - 5] ^= 1;
        Files.write(model, bytes);
        TestRuns.assertMessage("stored state 2 should have root", () -> TestRuns.train(run("cut", true)));
        bytes[bytes.length - 5] ^= 1;
        Files.write(model, bytes);
        TestRuns.train(run("cut", true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dataset/shard-00000.tokens", "dataset/manifest.json"})
    void aDatasetThatChangedUnderTheRunStopsAResume(String file) throws Exception {
        trainUntilTheLogIsGone(TestRuns.CONFIG, 2);
        Path path = folder.resolve("cut").resolve(file);
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length / 2] ^= 1;
        Files.write(path, bytes);
        assertThrows(RecorderException.class, () -> TestRuns.train(run("cut", true)));
    }

    /** Trains into {@code cut} with a log that takes every commitment before {@code sequence}. */
    private void trainUntilTheLogIsGone(String config, int sequence) throws Exception {
        CommitmentSink failing = commitment -> {
            if (commitment.sequence() == sequence) {
                throw new RecorderException("the log is gone");
            }
            return TestRuns.UNSIGNED.commit(commitment);
        };
        Trainer trainer = new Trainer(
                TestRuns.run(folder, config, "cut", false),
                TestRuns.means(1, new InProcessWorkers(), failing),
                TrainingListener.NONE);
        assertThrows(RecorderException.class, trainer::train);
    }

    private TrainingRun run(String out, boolean resume) throws Exception {
        return TestRuns.run(folder, TestRuns.CONFIG, out, resume);
    }
}
