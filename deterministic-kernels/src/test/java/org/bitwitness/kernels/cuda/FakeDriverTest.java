package org.bitwitness.kernels.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bitwitness.kernels.gpu.HostShim;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * JCuda over a driver that g++ made ({@code src/test/cuda/fake_driver.cpp}), in JVMs of their own: linking, contexts, memory,
 * parameters of launches, and what becomes of every kind of error. What it leaves open is NVIDIA's part.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FakeDriverTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_404L);
    private static final String AGREEMENT = "org.bitwitness.kernels.BackendAgreement";
    private static final String GOLDEN_RUN = "org.bitwitness.kernels.GoldenRun";
    private static final String WORK_PER_CASE = "20000";

    private Path driver = Path.of("");

    @TempDir
    private Path temporary;

    @BeforeAll
    void compile(@TempDir Path folder) {
        assumeTrue(HostShim.possible(), "needs g++ on x86-64");
        driver = folder;
        HostShim.compileDriver(Path.of("src/main/cuda").toAbsolutePath(), driver);
    }

    private record Run(int code, String output) {}

    private Run operators(Map<String, String> environment) throws Exception {
        return run(environment, AGREEMENT, "cuda", Long.toString(SEED), "1", WORK_PER_CASE, "1");
    }

    private Run run(Map<String, String> environment, String... mainAndArguments) throws Exception {
        Stream<String> java = Stream.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"));
        Path output = driver.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Stream.concat(java, Stream.of(mainAndArguments)).toList())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("LD_LIBRARY_PATH", driver.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES), "the child did not end");
        return new Run(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    @Test
    void everyOperatorAgreesWithTheOracleThroughJCuda() throws Exception {
        Run run = operators(Map.of());
        assertTrue(run.output.contains("ALL BITS AGREE"), run.output + "tests.seed=" + SEED);
        assertEquals(0, run.code, run.output);
    }

    @Test
    void copiesBringEveryByteThereAndBackThoughTheCardIsLate() throws Exception {
        Run run = run(Map.of(), TransferCheck.class.getName(), Long.toString(SEED));
        assertTrue(run.output.contains("ALL BYTES AGREE"), run.output + "tests.seed=" + SEED);
    }

    @Tag("slow")
    @Test
    void goldenStepsAreReproducedThroughJCuda() throws Exception {
        Run run = run(Map.of(), GOLDEN_RUN, "cuda", "1", "1", "krum-gpt2", "sgd-llama");
        assertTrue(run.output.contains("ALL BITS AGREE"), run.output);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "FAKE_CUDA_CARDS | 0 | no usable GPU: looked for device 0: the driver library libcuda.so.1 is here, but cuInit"
                        + " answers CUDA_ERROR_NO_DEVICE",
                "FAKE_CUDA_VERSION | 10020 | no usable GPU: the driver is for CUDA 10.2, 11.0 or newer is needed",
                "FAKE_CUDA_CAPABILITY | 61 | no usable GPU: device 0, Card of g++ 0, is sm_61; sm_75 (Turing) or newer is needed",
                "FAKE_CUDA_FAIL | cuInit:1:803 | but cuInit answers CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                "FAKE_CUDA_FAIL | cuDevicePrimaryCtxRetain:1:46 | no usable GPU: device 0, Card of g++ 0, cannot be used:"
                        + " CUDA_ERROR_DEVICE_UNAVAILABLE while opening it",
                "FAKE_CUDA_FAIL | cuMemAllocHost_v2:1:2 | CUDA_ERROR_OUT_OF_MEMORY while pinning memory for transfers",
                "FAKE_CUDA_FAIL | cuModuleLoadDataEx:1:218 | is refused: the driver (CUDA 12.4) does not take it (PTX 6.4):"
                        + " CUDA_ERROR_INVALID_PTX ptxas fatal : planted",
                "FAKE_CUDA_FAIL | cuModuleLoadDataEx:1:222 | is refused: it is PTX version 6.4, the driver is for CUDA 12.4",
                "FAKE_CUDA_FAIL | cuModuleLoadDataEx:1:2 | the GPU was lost: no memory is left to translate module",
                "FAKE_CUDA_FAIL | cuMemAlloc_v2:1:2 | does not fit: 0 of",
                "FAKE_CUDA_FREE | 9 | bytes does not fit: 0 of",
                "FAKE_CUDA_FAIL | cuLaunchKernel:3:700 | failed: it touched memory outside of its buffers"
                        + " (CUDA_ERROR_ILLEGAL_ADDRESS); launches queue up, so an earlier one may be meant",
                "FAKE_CUDA_FAIL | cuLaunchKernel:3:702 | failed: the display driver stopped it",
                "FAKE_CUDA_FAIL | cuLaunchKernel:3:1 | failed: the driver stopped it (CUDA_ERROR_INVALID_VALUE)",
                "FAKE_CUDA_FAIL | cuEventSynchronize:4:214 | the GPU was lost: memory error that its ECC cannot correct",
                "FAKE_CUDA_FAIL | cuMemcpyDtoHAsync_v2:2:999 | the GPU was lost: CUDA_ERROR_UNKNOWN while running kernel"
            })
    void aFailureOfTheDriverEndsTheRunAndSaysWhatItWas(String variable, String value, String said) throws Exception {
        Run run = operators(Map.of(variable, value));
        assertTrue(run.output.contains(said), run.output);
        assertEquals(1, run.code, run.output);
    }

    @Test
    void aFullCardIsTriedAgainWithoutTheBuffersThatNobodyUses() throws Exception {
        Run run = operators(Map.of("FAKE_CUDA_FAIL", "cuMemAlloc_v2:9:2"));
        assertTrue(run.output.contains("ALL BITS AGREE"), run.output + "tests.seed=" + SEED);
    }

    /** JCuda takes what lies under its well-known name, which anybody may have put there. */
    @Test
    void aLibraryThatLiesInTheTemporaryFolderIsNotTaken() throws Exception {
        Path planted = temporary.resolve("libJCudaDriver-12.6.0-linux-x86_64.so");
        Files.writeString(planted, "planted");
        try {
            Run run = run(Map.of(), GOLDEN_RUN, "cuda", "1", "0", "gpt2");
            assertTrue(run.output.contains("ALL BITS AGREE"), run.output);
            assertEquals("planted", Files.readString(planted));
            assertEquals(List.of(planted), files(temporary), "what was unpacked is cleared away");
        } finally {
            Files.delete(planted);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
