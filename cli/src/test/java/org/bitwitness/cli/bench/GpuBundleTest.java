package org.bitwitness.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder that is carried to a machine with a card: its size, and that all of its Java runs with nothing around it. */
@Tag("slow")
class GpuBundleTest {
    private static final Path SCRIPT =
            Path.of("../benchmarks/gpu/run").toAbsolutePath().normalize();
    private static final long MOST_BYTES = 64L << 20;
    private static final long LIMIT_SECONDS = 900;

    @TempDir
    private static Path temp;

    private static Path bundle;

    private record Run(int exitCode, String output) {}

    private static Run run(Map<String, String> environment, String... command) throws Exception {
        Path output = Files.createTempFile(temp, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(temp.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(ended, text);
        return new Run(process.exitValue(), text);
    }

    @BeforeAll
    static void build() throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "the bundle is for Linux");
        bundle = temp.resolve("bundle");
        Run built = run(
                Map.of(
                        "PATH",
                        "/usr/bin:/bin",
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "BITWITNESS_CLASS_PATH",
                        System.getProperty("java.class.path")),
                SCRIPT.toString(),
                "--bundle",
                bundle.toString());
        assertEquals(0, built.exitCode(), built.output());
    }

    @Test
    void isSmallAndCarriesNoSpark() throws IOException {
        long bytes = 0;
        Set<String> jars = new TreeSet<>();
        try (Stream<Path> files = Files.walk(bundle)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
                if (file.toString().endsWith(".jar")) {
                    jars.add(String.valueOf(file.getFileName()));
                }
            }
        }
        assertTrue(bytes < MOST_BYTES, bytes + " bytes");
        for (String heavy : List.of("spark", "hadoop", "arrow", "scala", "bcprov")) {
            assertTrue(jars.stream().noneMatch(jar -> jar.contains(heavy)), jars.toString());
        }
    }

    @Test
    void everyJavaPartRunsFromItsOwnRuntimeInAnEmptyEnvironment() throws Exception {
        Path json = temp.resolve("report.json");
        Run measured = run(
                Map.of(),
                bundle.resolve("run").toString(),
                "--backend",
                "ptx-emulator",
                "--quick",
                "--json",
                json.toString());
        assertEquals(0, measured.exitCode(), measured.output());
        JsonNode report = new ObjectMapper().readTree(Files.readString(json));
        assertTrue(report.get("device").asText().startsWith("PTX emulator"), report.toString());
        List<String> ran = new ArrayList<>();
        for (JsonNode part : report.get("parts")) {
            if (part.get("result").asText().equals("ok")) {
                ran.add(part.get("name").asText());
            }
        }
        assertEquals(List.of("doctor", "operators", "gemm", "step-124m", "hash", "emulator", "step-1600m"), ran);
        assertTrue(measured.output().contains("gemm-128"), measured.output());
        assertTrue(report.toString().contains("ALL BITS AGREE"), report.toString());
        assertTrue(report.toString().contains("training llama"), report.toString());
        for (JsonNode figure : report.get("figures")) {
            assertTrue(figure.get("ours").asDouble() > 0, figure.toString());
        }
    }

    @Test
    void leavesNothingRunningWhenItIsStopped() throws Exception {
        Path output = temp.resolve("stopped.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        bundle.resolve("run").toString(), "--backend", "ptx-emulator", "--quick", "--json", "s.json")
                .directory(temp.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().clear();
        Process process = builder.start();
        while (process.isAlive() && !Files.readString(output).contains("doctor")) {
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        List<ProcessHandle> started = process.descendants().toList();
        process.destroy();
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "the script did not end");
        assertEquals(130, process.exitValue(), Files.readString(output));
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5); // the timer sleeps for ten
        while (started.stream().anyMatch(GpuBundleTest::runs)) {
            assertTrue(System.nanoTime() < deadline, () -> "left running: " + started);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** A process that has ended is still listed where nobody collects orphans, as in some containers. */
    private static boolean runs(ProcessHandle handle) {
        try {
            return handle.isAlive()
                    && !Files.readString(Path.of("/proc/" + handle.pid() + "/stat"))
                            .contains(") Z ");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void withoutACardItEndsWithWhatItLookedFor() throws Exception {
        assumeTrue(Backends.whyAbsent(BackendId.CUDA).isPresent(), "this machine has a card");
        Run refused = run(Map.of(), bundle.resolve("run").toString());
        assertEquals(1, refused.exitCode(), refused.output());
        assertTrue(refused.output().contains("no usable GPU: looked for device 0"), refused.output());
        assertFalse(refused.output().contains("doctor"), refused.output());
    }

    /** A part that fails is in the report, and those after it run all the same. */
    @Test
    void aPartThatFailsHidesNoOther() throws Exception {
        Path broken = temp.resolve("broken");
        Run copied = run(Map.of(), "cp", "-r", bundle.toString(), broken.toString());
        assertEquals(0, copied.exitCode(), copied.output());
        Files.delete(broken.resolve("lib/operator-cases.jar"));
        Run measured = run(
                Map.of(), broken.resolve("run").toString(), "--backend", "ptx-emulator", "--quick", "--json", "b.json");
        assertEquals(1, measured.exitCode(), measured.output());
        assertTrue(
                measured.output().contains("operators") && measured.output().contains("exit code 1"),
                measured.output());
        assertTrue(measured.output().contains("gpt-tiny"), measured.output());
    }
}
