package org.bitwitness.kernels.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.GpuComparisons;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.GpuSelfTest;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code doctor} asks of a device: that no kernel is left out, and that a wrong one is noticed. */
class GpuSelfTestTest {
    private static final int LARGE_TILES_FROM = 64;

    private static GpuBackend backend(Map<String, PtxModule> modules, Set<String> launched) {
        EmulatedDevice device = new EmulatedDevice(EmulatorOptions.fast(2));
        return new GpuBackend(BackendId.PTX_EMULATOR, new RecordingDevice(device, launched), modules, LARGE_TILES_FROM);
    }

    private static List<GpuSelfTest.Finding> findings(GpuBackend backend) {
        try (backend;
                Backend oracle = Backends.create(BackendId.VECTOR, 2)) {
            return GpuSelfTest.run(backend, oracle);
        }
    }

    @Tag("slow")
    @Test
    void selfTestAndGoldenStepsTogetherLaunchEveryKernelOfTheLibrary() {
        Set<String> launched = new TreeSet<>();
        for (GpuSelfTest.Finding finding : findings(backend(PtxLibrary.kernels(), launched))) {
            assertTrue(finding.passed(), finding.toString());
        }
        for (String family : List.of("sgd-llama", "krum-gpt2", "trimmed-llama", "bf16-gpt2")) {
            assertEquals(List.of(), GpuComparisons.goldenRun(family, backend(PtxLibrary.kernels(), launched), 1));
        }
        Set<String> forgotten = new TreeSet<>(PtxLibrary.kernels().keySet());
        forgotten.removeAll(launched);
        assertEquals(Set.of(), forgotten);
    }

    @Test
    void aWrongKernelOfLargeTilesFailsItsProductAndNothingElse() {
        PtxModule shipped = PtxLibrary.kernels().getOrDefault("linear_tn_128_odd", PtxModule.unlisted("none", ""));
        int at = shipped.text().indexOf(".entry linear_tn_128_odd(");
        int fused = shipped.text().indexOf("fma.rn.f32 \t%f", at);
        String text = shipped.text().substring(0, fused)
                + shipped.text().substring(fused).replaceFirst("(%f\\d+), (%f\\d+), %f\\d+", "$1, $2, $2");
        assertNotEquals(shipped.text(), text, "the fault was not planted");
        Map<String, PtxModule> modules = new HashMap<>(PtxLibrary.kernels());
        PtxModule mutant = PtxModule.unlisted("mutant.ptx", text);
        modules.replaceAll((_, module) -> module.equals(shipped) ? mutant : module);
        List<String> failing = findings(backend(modules, new TreeSet<>())).stream()
                .filter(finding -> !finding.passed())
                .map(GpuSelfTest.Finding::name)
                .toList();
        assertEquals(List.of("product 8067 x 3 x 19"), failing);
    }
}
