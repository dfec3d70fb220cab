package org.bitwitness.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bitwitness.cli.CommandLineRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code benchmarks/gpu/run} says in the end, from what a card that nobody here has would have left. */
class GpuReportTest {
    @TempDir
    private Path temp;

    @BeforeEach
    void aWholeRun() throws Exception {
        write("device.log", "NVIDIA X, device 0\n");
        write("parts.txt", "doctor 0 30 120 \noperators 0 9 60 \ngemm 0 4 40 \ntorch-gemm 0 5 30 \nhash 0 2 30 \n");
        write("gemm.json", "[{\"name\":\"gemm-1024\",\"value\":800.0,\"unit\":\"GFLOP/s\"}]");
        write("torch-gemm.json", "[{\"name\":\"gemm-1024\",\"value\":1000.0,\"unit\":\"GFLOP/s\"}]");
        write("hash.json", "[{\"name\":\"hash\",\"value\":12.5,\"unit\":\"GB/s\"}]");
    }

    private void write(String name, String text) throws Exception {
        Files.writeString(temp.resolve(name), text);
    }

    private CommandLineRun report() {
        return CommandLineRun.of("bench-gpu", "report", "--from", temp.toString(), "--out", temp + "/all.json");
    }

    @Test
    void putsOursAndPyTorchsFiguresSideBySide() throws Exception {
        CommandLineRun run = report();
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("PyTorch 1000.0, ratio 0.80 (aimed at 0.7)"), run.out());
        JsonNode document = new ObjectMapper().readTree(Files.readString(temp.resolve("all.json")));
        assertEquals("NVIDIA X, device 0", document.get("device").asText());
        assertEquals(0.8, document.get("figures").get(0).get("ratio").asDouble());
        assertTrue(document.get("figures").get(1).path("ratio").isMissingNode());
        assertEquals(5, document.get("parts").size());
    }

    @ParameterizedTest
    @CsvSource({
        "operators 2 9 60, 2, exit code 2",
        "gemm 124 40 40, 1, over its limit of 40 s",
        "gemm 1 3 40, 1, exit code 1"
    })
    void saysWhichPartDidNotDoItsWorkAndKeepsTheOthers(String part, int exitCode, String words) throws Exception {
        String parts = Files.readString(temp.resolve("parts.txt"));
        String name = part.substring(0, part.indexOf(' '));
        write("parts.txt", parts.replaceFirst("(?m)^" + name + " .*$", part + " "));
        write(name + ".log", "the first line\nwhy it stopped\n");
        CommandLineRun run = report();
        assertEquals(exitCode, run.exitCode(), run.out());
        assertTrue(run.out().contains(words), run.out());
        assertTrue(run.out().contains("    why it stopped"), run.out());
        assertTrue(run.out().contains("12.500 GB/s"), run.out());
        assertEquals(name.equals("gemm"), !run.out().contains("GFLOP/s"), run.out());
    }

    @Test
    void aPartThatWasSkippedIsNamedWithItsReasonAndIsNoFailure() throws Exception {
        write("parts.txt", "doctor 0 30 120 \ntorch-gemm -1 0 0 looked for python3 with torch\n");
        CommandLineRun run = report();
        assertEquals(0, run.exitCode(), run.out());
        assertTrue(run.out().contains("skipped: looked for python3 with torch"), run.out());
    }

    @Test
    void withoutPartsThereIsNothingToReport() throws Exception {
        write("parts.txt", "");
        assertEquals(1, report().exitCode());
        write("parts.txt", "doctor ok\n");
        CommandLineRun run = report();
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("a line is NAME EXIT SECONDS LIMIT NOTE"), run.err());
    }

    @Test
    void measuresOnDevicesOnly() {
        CommandLineRun run = CommandLineRun.of("bench-gpu", "gemm", "--backend", "vector");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("needs --backend cuda or ptx-emulator"), run.err());
        CommandLineRun unknown = CommandLineRun.of("bench-gpu", "nothing", "--backend", "ptx-emulator");
        assertTrue(unknown.err().contains("no part 'nothing'"), unknown.err());
    }

    @Test
    void everyPartMeasuresOnTheEmulator() {
        for (String part : new String[] {"device", "gemm", "step-124m", "step-1600m", "hash"}) {
            CommandLineRun run = CommandLineRun.of("bench-gpu", part, "--backend", "ptx-emulator", "--quick", "--json");
            assertEquals(0, run.exitCode(), part + ": " + run.err());
        }
    }
}
