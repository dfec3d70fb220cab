package org.bitwitness.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.support.PlantedGpu;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.FailingDevice;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.TestTrainer;
import org.bitwitness.replayer.UnitReplayer;
import org.bitwitness.scheduler.Keeping;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayCommandTest {
    @TempDir
    private static Path temp;

    @BeforeAll
    static void train() throws Exception {
        TestTrainer.train(temp.resolve("run"), TestTrainer.Shape.SMALL, Lie.NONE);
        TestTrainer.train(temp.resolve("liar"), TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                gradients.tensor(0)[0] += step == 3 && position == 2 ? 1 : 0;
            }
        });
    }

    private static CommandLineRun replay(String run, String... more) {
        String[] words = new String[more.length + 2];
        words[0] = "replay";
        words[1] = temp.resolve(run).toString();
        System.arraycopy(more, 0, words, 2, more.length);
        return CommandLineRun.of(words);
    }

    @Test
    void reproducesAndSaysHowToRepeatIt() {
        CommandLineRun run = replay("run", "--unit", "STEP(3)");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("REPRODUCED"), run.out());
        assertTrue(run.out().contains("bitwitness replay " + temp.resolve("run") + " --unit \"STEP(3)\""), run.out());
    }

    @Test
    void saysWhatWasCheckedAgainstWhichCommitmentAndOnWhat() throws Exception {
        String out = replay("run", "--unit", "STEP(3)", "--threads", "1").out();
        assertTrue(out.contains("checked    all gradients, the reduction and the update of step 3"), out);
        assertTrue(out.contains("against    commitment " + last("run")), out);
        assertTrue(out.contains("on         vector, 1 threads, profile F32-C512 v1"), out);
    }

    @Test
    void theCommandThatItPrintsGivesTheSameVerdictAgain() throws Exception {
        Path spaced = temp.resolve("a liar's run");
        Files.move(temp.resolve("liar"), spaced);
        try {
            String out = replay(spaced.getFileName().toString(), "--unit", "GRADIENT(3,2)", "--threads", "1")
                    .out();
            String repeat = out.lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("repeat "))
                    .findFirst()
                    .orElseThrow()
                    .substring("repeat ".length())
                    .strip();
            assertTrue(repeat.endsWith(" --backend vector --threads 1 --commitment " + last("a liar's run")), repeat);
            // A shell reads the words, as it would for a person who pastes the line.
            Process shell =
                    new ProcessBuilder("sh", "-c", "bitwitness() { printf '%s\\n' \"$@\"; }; " + repeat).start();
            List<String> words = shell.inputReader().readAllLines();
            assertEquals(0, shell.waitFor());
            CommandLineRun again = CommandLineRun.of(words.toArray(String[]::new));
            assertEquals(2, again.exitCode(), again.err());
            assertEquals(withoutTimes(out), withoutTimes(again.out()));
        } finally {
            Files.move(spaced, temp.resolve("liar"));
        }
    }

    @Test
    void goesOnWithWhatItsKeyKeptAndKeepsNothingInTheEnd() throws Exception {
        Path keys = temp.resolve("keys");
        KeyFolder folder = KeyFolder.createP256(keys, new SecureRandom());
        AuditUnit unit = AuditUnit.parse("SEGMENT(0,3)");
        Path kept = temp.resolve("kept");
        try (CommittedRun recording = CommittedRun.open(temp.resolve("run"), Optional.empty())) {
            // As a process that was killed after its last step leaves it.
            KeepPlace place = new Keeping(kept, VersionProvider.version(), Duration.ZERO)
                    .place(folder.signingKey(), recording.commitment(), unit, Optional.empty());
            ReplayOptions options = new ReplayOptions(BackendId.VECTOR, 1, ReplaySalt.NONE, Optional.of(place));
            new UnitReplayer(recording, EngineFactory.STANDARD, options, InstantSource.system())
                    .replay(unit, ProgressListener.NONE);
            assertTrue(Files.exists(place.file()));
            String[] words = {"--unit", unit.text(), "--keep", kept.toString(), "--key", keys.toString()};
            CommandLineRun run = replay("run", words);
            assertEquals(0, run.exitCode(), run.err());
            assertTrue(run.err().contains("SEGMENT(0,3) was replayed before this process began"), run.err());
            assertFalse(Files.exists(place.file()), "an ended replay needs no kept work");
            assertFalse(replay("run", words).err().contains("before this process"));
        }
    }

    @Test
    void keepsNothingWithoutAKey() {
        CommandLineRun run = replay("run", "--unit", "STEP(3)", "--keep", temp.toString());
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("--keep and --key go together"), run.err());
    }

    private static List<String> withoutTimes(String out) {
        return out.lines().filter(line -> !line.startsWith("  work ")).toList();
    }

    private static String last(String run) throws Exception {
        return RecordingReader.open(temp.resolve(run)).last().digest().hex();
    }

    @Test
    void writesTheReportInTheSpellingOfTheFormat() throws Exception {
        Path file = temp.resolve("report.json");
        CommandLineRun run = replay("liar", "--unit", "GRADIENT(3,2)", "--report", file.toString(), "--json");
        assertEquals(2, run.exitCode(), run.err());
        ReplayReport report = ReplayReportJson.read(Files.readString(file));
        assertEquals(Verdict.DIVERGED, report.verdict());
        ObjectMapper mapper = new ObjectMapper();
        assertEquals(mapper.readTree(run.out()), mapper.readTree(Files.readString(file)));
    }

    @Test
    void refusesAReportThatItCouldNotWriteBeforeItReplays() throws Exception {
        Path mine = temp.resolve("mine.json");
        Files.writeString(mine, "mine");
        CommandLineRun there = replay("run", "--unit", "STEP(3)", "--report", mine.toString());
        assertEquals(1, there.exitCode());
        assertTrue(there.err().contains("never overwritten"), there.err());
        assertEquals("", there.out());
        assertEquals("mine", Files.readString(mine));
        CommandLineRun nowhere = replay(
                "run",
                "--unit",
                "STEP(3)",
                "--report",
                temp.resolve("no/report.json").toString());
        assertEquals(1, nowhere.exitCode());
        assertTrue(nowhere.err().contains("make it first"), nowhere.err());
    }

    @Test
    void writesNoReportWhereNothingWasJudged() {
        Path file = temp.resolve("none.json");
        assertEquals(
                1,
                replay("run", "--unit", "STEP(6)", "--report", file.toString()).exitCode());
        assertFalse(Files.exists(file));
    }

    @Test
    void comparesWithTheCommitmentThatIsNamed() throws Exception {
        String first = RecordingReader.open(temp.resolve("run"))
                .commitments()
                .get(1)
                .digest()
                .hex();
        assertNotEquals(last("run"), first);
        CommandLineRun early = replay("run", "--unit", "STEP(0)", "--commitment", first);
        assertEquals(0, early.exitCode(), early.err());
        assertTrue(early.out().contains("commitment " + first), early.out());
        assertEquals(
                1, replay("run", "--unit", "STEP(5)", "--commitment", first).exitCode());
        CommandLineRun other = replay("run", "--unit", "STEP(0)", "--commitment", last("liar"));
        assertEquals(1, other.exitCode());
        assertTrue(other.err().contains("should have commitment " + last("liar")), other.err());
        assertEquals(
                1, replay("run", "--unit", "STEP(0)", "--commitment", "abc").exitCode());
    }

    @Test
    void printsTheFieldsOfTheContractAsJson() throws Exception {
        JsonNode report = new ObjectMapper()
                .readTree(replay("liar", "--unit", "STEP(3)", "--json").out());
        for (String field : new String[] {
            "unit",
            "verdict",
            "grade",
            "backend",
            "profile",
            "expectedRoot",
            "computedRoot",
            "seconds",
            "tokensPerSecond"
        }) {
            assertTrue(report.has(field), field);
        }
        assertEquals("DIVERGED", report.get("verdict").asText());
        assertEquals("PROVEN", report.get("grade").asText());
        JsonNode difference = report.get("firstDifference");
        assertEquals("tensor", difference.get("resolution").asText());
        assertEquals(3, difference.get("step").asLong());
        assertEquals(2, difference.get("worker").asInt());
        assertEquals("emit", difference.get("operator").asText());
    }

    @Test
    void namesTheCulpritAndExitsWithTwo() {
        CommandLineRun run = replay("liar", "--unit", "GRADIENT(3,2)");
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.out().contains("DIVERGED (PROVEN)"), run.out());
        assertTrue(run.out().contains("step 3, worker 2"), run.out());
        assertTrue(run.out().contains("repeated on reference with the same bits"), run.out());
    }

    @Test
    void exitsWithThreeWhenTheStoreIsDamaged() throws Exception {
        Path damaged = temp.resolve("damaged");
        TestTrainer.train(damaged, TestTrainer.Shape.SMALL, Lie.NONE);
        Path weights = damaged.resolve("states/000000000002/model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        bytes[bytes.length - 1] ^= 1;
        Files.write(weights, bytes);
        CommandLineRun run = replay("damaged", "--unit", "STEP(2)");
        assertEquals(3, run.exitCode(), run.err());
        assertTrue(run.out().contains("accuses nobody"), run.out());
    }

    @Test
    void judgesNothingOnABackendThatIsNotThere() {
        CommandLineRun run = replay("run", "--unit", "STEP(1)", "--backend", "cuda", "--device", "4095");
        System.clearProperty(GpuSettings.DEVICE);
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("backend cuda is not available: no usable GPU"), run.err());
        assertEquals("", run.out());
    }

    static List<Arguments> deviceFailures() {
        return List.of(
                Arguments.of(
                        FailingDevice.Call.ALLOCATE,
                        new GpuFailure.OutOfMemory(4096, 1000, 2000),
                        "a buffer of 4096 bytes does not fit: 1000 of 2000 bytes are in use"),
                Arguments.of(
                        FailingDevice.Call.COPY_IN,
                        new GpuFailure.DeviceLost("CUDA_ERROR_UNKNOWN"),
                        "the GPU was lost"),
                Arguments.of(
                        FailingDevice.Call.LAUNCH,
                        new GpuFailure.LaunchFailed("initial_weights", "the driver stopped it"),
                        "kernel initial_weights failed"));
    }

    @ParameterizedTest
    @MethodSource("deviceFailures")
    void exitsWithThreeWhenTheDeviceFails(FailingDevice.Call where, GpuFailure failure, String words) {
        PlantedGpu.plant(() -> new FailingDevice(new EmulatedDevice(EmulatorOptions.fast(1)), where, 0, failure));
        try {
            CommandLineRun run = replay("run", "--unit", "STEP(1)", "--backend", "cuda", "--gpu-memory", "8G");
            assertEquals(3, run.exitCode(), run.err());
            assertTrue(run.out().contains("INCONCLUSIVE"), run.out());
            assertTrue(run.out().contains("the device failed: ") && run.out().contains(words), run.out());
            assertTrue(run.out().contains("accuses nobody"), run.out());
        } finally {
            PlantedGpu.remove();
            System.clearProperty(GpuSettings.MEMORY);
        }
    }

    @Test
    void exitsWithThreeWhenTheLimitOfTheDeviceIsTooSmall() {
        CommandLineRun run = replay("run", "--unit", "STEP(1)", "--backend", "ptx-emulator", "--gpu-memory", "1K");
        System.clearProperty(GpuSettings.MEMORY);
        assertEquals(3, run.exitCode(), run.err());
        assertTrue(run.out().contains("of 1024 bytes are in use; raise --gpu-memory"), run.out());
    }

    @Test
    void saysWhatIsWrongWithTheRequest() {
        assertTrue(replay("nowhere", "--unit", "INIT").err().contains("is not a folder"));
        assertTrue(replay("run", "--unit", "STEP(06)").err().contains("STEP("));
        assertTrue(replay("run", "--unit", "STEP(6)").err().contains("steps 0 to 5"));
        assertEquals(1, replay("run", "--unit", "STEP(6)").exitCode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STEP(6) | steps 0 to 5",
                "UPDATE(60) | steps 0 to 5",
                "GRADIENT(3,9) | has workers [0, 1",
                "SEGMENT(2,7) | steps 0 to 5",
                "SEGMENT(4,2) | 4",
                "DATA(shard-00099) | shard-00000"
            })
    void aUnitThatTheRunDoesNotHaveIsWrongUsageAndTheRangeIsNamed(String unit, String range) {
        CommandLineRun run = replay("run", "--unit", unit);
        assertEquals(1, run.exitCode(), run.err());
        assertTrue(run.err().contains(range), run.err());
        assertEquals("", run.out());
    }
}
