package org.bitwitness.kernels.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GpuComparisons;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults planted into the shipped PTX: each is caught by the auditor, the emulator or the comparison of bits. */
class PtxMutationTest {
    private static final long SEED = 11;
    private static final int CASES = 6;

    /** A backend whose module with {@code kernel} has {@code text} in place of the shipped text. */
    private static Backend with(String kernel, String text) {
        Map<String, PtxModule> modules = new HashMap<>(PtxLibrary.kernels());
        PtxModule shipped = shipped(kernel);
        assertNotEquals(shipped.text(), text, "the fault was not planted");
        PtxModule mutant = PtxModule.unlisted("mutant.ptx", text);
        modules.replaceAll((_, module) -> module.equals(shipped) ? mutant : module);
        return new GpuBackend(
                BackendId.PTX_EMULATOR, new EmulatedDevice(EmulatorOptions.withChecks()), modules, Integer.MAX_VALUE);
    }

    private static PtxModule shipped(String kernel) {
        return PtxLibrary.kernels().entrySet().stream()
                .filter(e -> e.getKey().equals(kernel))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    /** The text with one kernel's body changed. */
    private static String mutate(String kernel, Pattern what, String replacement) {
        String text = shipped(kernel).text();
        int start = text.indexOf(".visible .entry " + kernel + "(");
        Matcher found = what.matcher(text);
        return found.find(start)
                ? text.substring(0, found.start())
                        + found.group().replaceFirst(what.pattern(), replacement)
                        + text.substring(found.end())
                : text;
    }

    @Test
    void theUntouchedTwinPasses() {
        Backend twin = new GpuBackend(
                BackendId.PTX_EMULATOR, new EmulatedDevice(EmulatorOptions.withChecks()), PtxLibrary.kernels(), 1);
        assertEquals(List.of(), GpuComparisons.differences("sum", twin, SEED, CASES));
        assertEquals(List.of(), GpuComparisons.differences("crossEntropy", twin, SEED, CASES));
    }

    @Test
    void anOperationWithoutItsRoundingIsRefusedByTheAuditor() {
        String text = mutate("gelu", Pattern.compile("mul\\.rn\\.f32"), "mul.f32");
        try (Backend backend = with("gelu", text)) {
            GpuException refused =
                    assertThrows(GpuException.class, () -> GpuComparisons.differences("gelu", backend, SEED, 1));
            assertInstanceOf(GpuFailure.PtxRefused.class, refused.failure());
        }
    }

    @Test
    void anApproximateInstructionIsRefusedByTheAuditor() {
        String text = mutate("swiglu", Pattern.compile("div\\.rn\\.f32"), "div.approx.f32");
        try (Backend backend = with("swiglu", text)) {
            GpuException refused =
                    assertThrows(GpuException.class, () -> GpuComparisons.differences("swiGlu", backend, SEED, 1));
            assertInstanceOf(GpuFailure.PtxRefused.class, refused.failure());
        }
    }

    /** (v0 + v2) + (v1 + v3) becomes (v0 + v1) + (v2 + v3): the tree of SUM128 with its first two levels exchanged. */
    @Test
    void twoReorderedAdditionsChangeBits() {
        Pattern tree = Pattern.compile("add\\.rn\\.f32 \\t(%f\\d+), (%f\\d+), (%f\\d+);\\s+"
                + "add\\.rn\\.f32 \\t(%f\\d+), (%f\\d+), (%f\\d+);\\s+add\\.rn\\.f32 \\t(%f\\d+), \\1, \\4;");
        String replacement = "add.rn.f32 \t$1, $2, $5;\n\tadd.rn.f32 \t$4, $3, $6;\n\tadd.rn.f32 \t$7, $1, $4;";
        String text = mutate("segment_sums", tree, replacement);
        try (Backend backend = with("segment_sums", text)) {
            assertFalse(GpuComparisons.differences("sum", backend, SEED, CASES).isEmpty());
        }
    }

    @Test
    void aDroppedBarrierIsARace() {
        String text = mutate("cross_entropy", Pattern.compile("bar\\.sync \\t0;"), "");
        try (Backend backend = with("cross_entropy", text)) {
            GpuException fault = assertThrows(
                    GpuException.class, () -> GpuComparisons.differences("crossEntropy", backend, SEED, CASES));
            assertInstanceOf(GpuFailure.KernelFault.class, fault.failure());
        }
    }

    @Test
    void aLoopThatTakesOneElementMoreIsCaught() {
        String text = mutate("cross_entropy", Pattern.compile("setp\\.lt\\.u32"), "setp.le.u32");
        try (Backend backend = with("cross_entropy", text)) {
            assertFalse(nothingNoticed("crossEntropy", backend));
        }
    }

    /** Optimizer, robust rules and rounding: a changed condition, bound, order, operation, constant. */
    @ParameterizedTest(name = "{0}: {2} -> {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                "sgd | sgd | setp\\.eq\\.s32 | setp.ne.s32",
                "sgd | sgd | (mul\\.rn\\.f32 \\t%f\\d+), %f\\d+, (%f\\d+); | $1, $2, $2;",
                "sgd_finite | sgd | or\\.b32 | and.b32",
                "trimmed_mean | trimmedMean | xor\\.b32 | or.b32",
                "trimmed_mean | trimmedMean | (add\\.s32 \\t%r\\d+, %r13), 1; | $1, 2;",
                "segment_distances | squaredDistance | sub\\.rn\\.f32 | add.rn.f32",
                "weighted_next | weightedSum | fma(\\.rn\\.f32 \\t%f\\d+, %f\\d+, %f\\d+), %f\\d+; | mul$1;",
                "round_to_bf16 | roundToBf16 | 32767 | 32768",
                "round_to_bf16 | roundToBf16 | shr\\.u32 \\t(%r\\d+, %r\\d+), 16 | shr.u32 \t$1, 17"
            })
    void aFaultInAKernelWithoutSumsIsCaught(String kernel, String kind, String what, String replacement) {
        try (Backend backend = with(kernel, mutate(kernel, Pattern.compile(what), replacement))) {
            assertFalse(nothingNoticed(kind, backend));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sgd", "trimmedMean", "squaredDistance", "weightedSum", "roundToBf16"})
    void theUntouchedTwinsOfThosePass(String kind) {
        try (Backend twin = new GpuBackend(
                BackendId.PTX_EMULATOR, new EmulatedDevice(EmulatorOptions.withChecks()), PtxLibrary.kernels(), 1)) {
            assertTrue(nothingNoticed(kind, twin));
        }
    }

    private static boolean nothingNoticed(String kind, Backend backend) {
        try {
            return GpuComparisons.differences(kind, backend, SEED, CASES).isEmpty();
        } catch (GpuException e) {
            return false;
        }
    }
}
