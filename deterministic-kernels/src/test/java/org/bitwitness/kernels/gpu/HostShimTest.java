package org.bitwitness.kernels.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GpuComparisons;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels compiled by g++ against the oracle, in three orders of threads and blocks. Says nothing about the PTX; says
 * that the sources compute the profile and that no thread reads what another writes in the same phase.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostShimTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_401L);
    private static final int CASES = Integer.getInteger("tests.cases", 3);

    private static final int MANY_CASES = 24;

    private Path program = Path.of("");

    @BeforeAll
    void compile(@TempDir Path folder) {
        assumeTrue(HostShim.possible(), "needs g++ on x86-64");
        program = HostShim.compile(Path.of("src/main/cuda").toAbsolutePath(), folder);
    }

    private Backend shim(HostShimDevice.Order order) {
        return new GpuBackend(BackendId.CUDA, new HostShimDevice(program, order, SEED));
    }

    static List<Arguments> operatorsAndOrders() {
        List<Arguments> out = new ArrayList<>();
        for (String kind : GpuComparisons.kinds()) {
            out.add(Arguments.of(kind, HostShimDevice.Order.DESCENDING));
            out.add(Arguments.of(kind, HostShimDevice.Order.RANDOM));
        }
        return out;
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("operatorsAndOrders")
    void everyKernelAgreesWithTheOracleInEveryOrderOfThreads(String kind, HostShimDevice.Order order) {
        try (Backend backend = shim(order)) {
            assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, CASES), "tests.seed=" + SEED);
        }
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @EnumSource
    void manyCasesAgreeToo(HostShimDevice.Order order) {
        for (String kind : GpuComparisons.kinds()) {
            try (Backend backend = shim(order)) {
                assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, MANY_CASES), "seed " + SEED);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"linear", "linearInputGradient", "linearWeightGradient"})
    void largeTilesAgreeOnSmallProductsToo(String kind) {
        HostShimDevice device = new HostShimDevice(program, HostShimDevice.Order.RANDOM, SEED);
        try (Backend backend = new GpuBackend(BackendId.CUDA, device, PtxLibrary.kernels(), 1)) {
            assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, 2 * CASES), "tests.seed=" + SEED);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void reproducesTheGoldenRuns(String family) {
        HostShimDevice.Order order =
                family.contains("gpt2") ? HostShimDevice.Order.RANDOM : HostShimDevice.Order.DESCENDING;
        assertEquals(List.of(), GpuComparisons.goldenRun(family, shim(order), 1));
    }

    static List<String> families() {
        return GpuComparisons.goldenFamilies();
    }
}
