package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that die without a word: workers, the coordinator, the disk. */
@DisabledOnOs(OS.WINDOWS)
class KillTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    /** SIGKILL for one worker once a step is done: in the first segment, and after commitments. */
    @ParameterizedTest
    @CsvSource({"4, 2"})
    void aKilledWorkerIsNamedTheOthersEndAndAResumeReachesTheSameRoot(long step, int victim) throws Exception {
        List<ProcessHandle> workers = new ArrayList<>();
        TrainingListener killer = new TrainingListener() {
            @Override
            public void workersStarted(List<OptionalLong> pids) {
                pids.forEach(
                        pid -> workers.add(ProcessHandle.of(pid.getAsLong()).orElseThrow()));
            }

            @Override
            public void step(StepIndex done, float loss, long tokens, boolean again) {
                if (done.value() == step) {
                    kill(workers.get(victim).pid());
                }
            }
        };
        TrainingRun run = TestRuns.run(folder, TestRuns.CONFIG, "run", false);
        RecorderException lost = assertThrows(
                RecorderException.class,
                () -> new Trainer(run, TestRuns.means(1, TestRuns.children(), TestRuns.UNSIGNED), killer).train());
        assertEquals(
                "worker %d (process %d) is lost: it was killed by signal 9 (SIGKILL)"
                        .formatted(victim, workers.get(victim).pid()),
                lost.getMessage());
        for (ProcessHandle worker : workers) {
            worker.onExit().get(20, TimeUnit.SECONDS);
        }
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        assertFalse(reader.last().isFinal());
        assertResumesToTheSameBytes();
    }

    /** SIGKILL for the coordinator when it has said something; its workers end by themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"step 2", "committed 2"})
    void aKilledCoordinatorLeavesAReadableRecordingAndAResumeReachesTheSameRoot(String moment) throws Exception {
        Process coordinator = coordinator("false");
        List<ProcessHandle> workers = new ArrayList<>();
        boolean seen = false;
        try (BufferedReader lines = lines(coordinator)) {
            for (String line = lines.readLine(); line != null && !seen; line = seen ? line : lines.readLine()) {
                seen = line.equals(moment);
                if (seen) {
                    workers.addAll(coordinator.descendants().toList());
                    kill(coordinator.pid());
                }
            }
        }
        assertTrue(seen, "the coordinator never said: " + moment);
        assertNotEquals(0, coordinator.waitFor());
        for (ProcessHandle worker : workers) {
            worker.onExit().get(30, TimeUnit.SECONDS);
        }
        RecordingReader.open(folder.resolve("run")).checkSteps();
        assertResumesToTheSameBytes();
    }

    /** A limit on the size of files stands in for a full disk: the state of {@code states/} does not fit. */
    @Test
    void aFullDiskStopsTheRunWithAMessageAndAResumeGoesOn() throws Exception {
        Process coordinator = coordinator("ulimit -f 40");
        String said;
        try (BufferedReader lines = lines(coordinator)) {
            said = String.join("\n", lines.lines().toList());
        }
        assertEquals(1, coordinator.waitFor(), said);
        assertTrue(said.contains("stopped: no space left"), said);
        assertResumesToTheSameBytes();
    }

    private void assertResumesToTheSameBytes() throws Exception {
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "run", true));
        TestRuns.train(TestRuns.run(folder, TestRuns.CONFIG, "whole", false));
        assertEquals(TestRuns.digests(folder.resolve("whole")), TestRuns.digests(folder.resolve("run")));
        try (var files = Files.walk(folder.resolve("run"))) {
            assertEquals(
                    Optional.empty(),
                    files.filter(f -> f.getFileName().toString().startsWith("."))
                            .findFirst());
        }
    }

    private Process coordinator(String shellFirst) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", "-c"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        command.add(shellFirst
                + "; exec \"$0\" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens=java.base/java.nio=ALL-UNNAMED"
                + " --sun-misc-unsafe-memory-access=allow -Dio.netty.tryReflectionSetAccessible=true"
                + " --enable-native-access=ALL-UNNAMED -cp \"$1\" \"$2\" \"$3\" run");
        command.addAll(List.of(
                java, System.getProperty("java.class.path"), CoordinatorMain.class.getName(), folder.toString()));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void kill(long pid) {
        try {
            new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("cannot kill process " + pid, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
