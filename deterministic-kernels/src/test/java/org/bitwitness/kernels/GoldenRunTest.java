package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The golden runs, bit for bit, on every backend of this machine, any number of threads and every JVM mode: vector widths
 * from none to 512 bits, the interpreter, the first compiler alone.
 */
class GoldenRunTest {
    static List<Arguments> backendsAndThreads() {
        List<Arguments> out = new ArrayList<>();
        for (BackendId id : Backends.available()) {
            for (int threads : id == BackendId.REFERENCE ? new int[] {1} : new int[] {1, 2, 4}) {
                GoldenRun.FROM_OUTSIDE.forEach(family -> out.add(Arguments.of(id, threads, family)));
            }
            for (int threads : id == BackendId.REFERENCE ? new int[] {1} : new int[] {1, 3}) {
                GoldenRun.OUR_OWN.forEach(family -> out.add(Arguments.of(id, threads, family)));
            }
        }
        return out;
    }

    @ParameterizedTest(name = "{0}, {1} threads, {2}")
    @MethodSource("backendsAndThreads")
    void reproducesTheGoldenRun(BackendId id, int threads, String family) {
        assertEquals(List.of(), GoldenRun.differences(family, Backends.create(id, threads), 3));
    }

    /** The species follow the machine, so a narrower machine runs other code: the bits must not change. */
    @ParameterizedTest(name = "vector backend, {0}")
    @ValueSource(strings = {"-XX:UseAVX=1", "-XX:UseAVX=2", "-XX:TieredStopAtLevel=1"})
    void vectorBackendReproducesItOnNarrowerMachinesAndBeforeOptimisation(String mode) {
        assertTrue(ChildJvm.run(GoldenRun.class, mode, "vector", "2", "1", "gpt2", "llama")
                .endsWith("ALL BITS AGREE"));
    }

    @Test
    void vectorBackendReproducesItInTheInterpreter() {
        assertTrue(ChildJvm.run(GoldenRun.class, "-Xint", "vector", "2", "1", "gpt2")
                .endsWith("ALL BITS AGREE"));
    }

    /**
     * Interpreted, the Vector API is thousands of times slower; without AVX there is no fused multiply-add either, and the
     * JVM computes it in software, slowly and exactly.
     */
    @Tag("slow")
    @ParameterizedTest(name = "{1}, {0}")
    @CsvSource({
        "-Xint,reference",
        "-Xint,vector",
        "-XX:UseAVX=0,vector",
        "-XX:UseAVX=0,reference",
        "-XX:UseAVX=3,vector"
    })
    void everyBackendReproducesItInTheSlowModes(String mode, String backend) {
        assertTrue(ChildJvm.run(GoldenRun.class, mode, backend, "2", "1", "gpt2", "llama")
                .endsWith("ALL BITS AGREE"));
    }

    /** Twin of the runs above: the comparison sees a single changed bit. */
    @Test
    void aBackendThatRoundsOneConstantOtherwiseIsCaught() {
        List<String> differences =
                GoldenRun.differences("gpt2", Mutants.named("gelu: constant 0.044715 one ulp off"), 1);
        assertFalse(differences.isEmpty());
        assertTrue(
                differences.stream().anyMatch(d -> d.contains("w0.transformer.h.0.mlp.c_fc.weight")),
                differences::toString);
    }
}
