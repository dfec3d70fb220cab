package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --gpu-memory}, {@code --device} and {@code --emulator-checks}, beside every {@code --backend}. */
class GpuOptionsTest {
    @TempDir
    private Path temp;

    @AfterEach
    void forget() {
        System.clearProperty(GpuSettings.MEMORY);
        System.clearProperty(GpuSettings.DEVICE);
        System.clearProperty(GpuSettings.CHECKS);
    }

    /** Every command with a backend, as far as its first look at the backend. */
    static Stream<String> commands() {
        return Stream.of(
                "replay RUN --unit INIT",
                "audit work --run RUN --log LOG --key KEY --trust TRUST --out OUT",
                "audit cross-check --run RUN --log LOG --trust TRUST",
                "doctor",
                "profile sweep exp --stride 1000003",
                "train --config CONFIG --out OUT --in-process");
    }

    private CommandLineRun run(String command, String... more) throws Exception {
        Path config = Files.writeString(temp.resolve("config.json"), "{}");
        List<String> words = new ArrayList<>();
        for (String word : command.split(" ", -1)) {
            words.add(word.equals("CONFIG") ? config.toString() : word);
        }
        words.addAll(List.of(more));
        return CommandLineRun.of(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replay",
                "audit work",
                "audit cross-check",
                "dispute open",
                "dispute answer",
                "doctor",
                "profile init",
                "profile step",
                "profile sweep",
                "train"
            })
    void everyCommandThatTakesABackendTakesThem(String command) throws Exception {
        String help = run(command, "--help").out();
        assertTrue(help.contains("--backend"), help);
        assertTrue(help.contains("--gpu-memory=SIZE"), help);
        assertTrue(help.contains("--device=N"), help);
        assertTrue(help.contains("--emulator-checks"), help);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aBackendWithoutAGpuHasNoMemoryToLimitAndNoCardToChoose(String command) throws Exception {
        for (String[] option : new String[][] {{"--gpu-memory", "8G"}, {"--device", "1"}}) {
            CommandLineRun run = run(command, "--backend", "vector", option[0], option[1]);
            assertEquals(1, run.exitCode(), run.err());
            assertTrue(run.err().contains(option[0]) && run.err().contains("backend vector has none"), run.err());
            assertEquals("", run.out());
        }
    }

    @Test
    void theEmulatorIsOneDevice() throws Exception {
        CommandLineRun run = run("profile sweep exp --stride 1000003", "--backend", "ptx-emulator", "--device", "1");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("backend ptx-emulator has none"), run.err());
    }

    @Test
    void doctorNeedsABackendToLimit() throws Exception {
        CommandLineRun run = run("doctor", "--gpu-memory", "8G");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("need --backend cuda"), run.err());
    }

    @Test
    void aCardThatIsNotThereIsAnErrorThatSaysWhatWasLookedFor() throws Exception {
        CommandLineRun run = run("profile sweep exp", "--backend", "cuda", "--device", "4095");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("no usable GPU") && run.err().contains("device 4095"), run.err());
        assertEquals("", run.out());
    }

    @Test
    void aLimitThatIsTooSmallRefusesWithTheSizeThatWasAskedFor() throws Exception {
        CommandLineRun run = run("profile sweep exp --stride 1000003 --backend ptx-emulator", "--gpu-memory", "1K");
        assertEquals(1, run.exitCode(), run.out());
        assertTrue(run.err().contains("bytes does not fit: 0 of 1024 bytes are in use"), run.err());
        assertTrue(run.err().contains("raise --gpu-memory"), run.err());
        assertEquals("", run.out());
    }

    /** Twin of the one above. */
    @Test
    void aLimitThatIsLargeEnoughChangesNothing() throws Exception {
        String sweep = "profile sweep exp --stride 1000003 --threads 1 --json --backend ";
        CommandLineRun limited = run(sweep + "ptx-emulator", "--gpu-memory", "64M");
        CommandLineRun vector = run(sweep + "vector");
        assertEquals(0, limited.exitCode(), limited.err());
        assertEquals(vector.out().replace("vector", "ptx-emulator"), limited.out());
    }

    @Test
    void onlyTheEmulatorHasChecks() throws Exception {
        for (String backend : List.of("vector", "cuda")) {
            CommandLineRun run = run("profile sweep exp", "--backend", backend, "--emulator-checks");
            assertEquals(1, run.exitCode());
            assertTrue(run.err().contains("--emulator-checks are of an emulator"), run.err());
        }
    }

    @Test
    void checksReachTheEmulatorAndChangeNothing() throws Exception {
        String sweep = "profile sweep exp --stride 1000003 --threads 2 --json --backend ptx-emulator";
        CommandLineRun unchecked = run(sweep);
        CommandLineRun checked = run(sweep, "--emulator-checks");
        assertEquals(0, checked.exitCode(), checked.err());
        assertEquals(unchecked.out(), checked.out());
        try (Backend backend = Backends.create(BackendId.PTX_EMULATOR, 2)) {
            String described = ((GpuBackend) backend).describe();
            assertTrue(described.contains("(checked, lockstep, 1 threads)"), described);
        }
    }

    @Test
    void childrenComputeOnTheSameDeviceWithinTheSameLimit() throws Exception {
        System.setProperty(GpuSettings.MEMORY, "77");
        System.setProperty(GpuSettings.DEVICE, "3");
        System.setProperty(GpuSettings.CHECKS, "true");
        List<String> command = Relaunch.command(List.of("train-worker"));
        assertTrue(command.contains("-Dbitwitness.gpu.memory=77"), command.toString());
        assertTrue(command.contains("-Dbitwitness.gpu.device=3"), command.toString());
        assertTrue(command.contains("-Dbitwitness.gpu.checks=true"), command.toString());
    }

    @ParameterizedTest
    @CsvSource({"1,1", "512K,524288", "64M,67108864", "8G,8589934592", "2T,2199023255552"})
    void readsSizes(String text, long bytes) throws Exception {
        assertEquals(bytes, GpuOptions.bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0G", "-1", "8g", "8GB", "1.5G", "G", "999999999999999999T", "8 G"})
    void refusesWhatIsNoSize(String text) {
        CommandFailure refused = assertThrows(CommandFailure.class, () -> GpuOptions.bytes(text));
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertTrue(refused.text().contains("such as 8G"), refused.text());
    }

    @Test
    void refusesADeviceBeforeTheFirst() throws Exception {
        CommandLineRun run = run("profile sweep exp", "--backend", "cuda", "--device", "-1");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("counts cards from 0, is -1"), run.err());
    }
}
