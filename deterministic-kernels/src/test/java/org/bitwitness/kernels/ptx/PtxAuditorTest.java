package org.bitwitness.kernels.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every rule of the auditor refuses a planted fault; the untouched text passes. */
final class PtxAuditorTest {
    private static final String GOOD = """
        .version 6.4
        .target sm_75
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
        .reg .f32 %f<4>;
        .reg .b32 %r<4>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        add.rn.f32 %f1, %f1, %f2;
        fma.rn.f32 %f1, %f1, %f2, %f3;
        st.global.f32 [%rd1], %f1;
        ret;
        }
        """;

    private static List<PtxFinding> findings(String text) {
        return PtxAuditor.findings(PtxParser.parse(PtxModule.unlisted("test.ptx", text)));
    }

    @Test
    void passesTheUntouchedText() {
        assertEquals(List.of(), findings(GOOD));
        assertEquals(
                "6.4", PtxAuditor.audited(PtxModule.unlisted("test.ptx", GOOD)).version());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        add.rn.f32 %f1, %f1, %f2       | add.f32 %f1, %f1, %f2            | rounding is not stated
        add.rn.f32 %f1, %f1, %f2       | mul.f32 %f1, %f1, %f2            | rounding is not stated
        add.rn.f32 %f1, %f1, %f2       | sub.f32 %f1, %f1, %f2            | rounding is not stated
        fma.rn.f32 %f1, %f1, %f2, %f3  | fma.f32 %f1, %f1, %f2, %f3       | rounding is not stated
        fma.rn.f32 %f1, %f1, %f2, %f3  | mad.f32 %f1, %f1, %f2, %f3       | rounding is not stated
        add.rn.f32 %f1, %f1, %f2       | add.rn.ftz.f32 %f1, %f1, %f2     | flushed
        add.rn.f32 %f1, %f1, %f2       | add.rn.sat.f32 %f1, %f1, %f2     | clamped
        add.rn.f32 %f1, %f1, %f2       | add.rz.f32 %f1, %f1, %f2         | nearest even
        add.rn.f32 %f1, %f1, %f2       | ex2.approx.f32 %f1, %f2          | approximation
        add.rn.f32 %f1, %f1, %f2       | div.full.f32 %f1, %f1, %f2       | approximate division
        add.rn.f32 %f1, %f1, %f2       | sqrt.approx.f32 %f1, %f2         | approximation
        st.global.f32 [%rd1], %f1      | red.global.add.f32 [%rd1], %f1   | reductions in memory is chance
        st.global.f32 [%rd1], %f1      | atom.global.add.f32 %f2, [%rd1], %f1 | atomic operations is chance
        st.global.f32 [%rd1], %f1      | st.local.f32 [%rd1], %f1         | spilled
        st.global.f32 [%rd1], %f1      | st.volatile.global.f32 [%rd1], %f1 | not defined by barriers
        st.global.f32 [%rd1], %f1      | tex.1d.v4.f32.s32 {%f1,%f1,%f1,%f1}, [out, {%r1}] | texture
        st.global.f32 [%rd1], %f1      | membar.gl                        | not on the list
        st.global.f32 [%rd1], %f1      | wizardry.b32 %r1, %r2            | not on the list
        .reg .f32 %f<4>;               | .reg .f32 %f<4>; .local .align 4 .b8 depot[16]; | .local array
        .visible .entry                | .global .align 4 .b8 state[4]; .visible .entry | keeps state
        sm_75                          | sm_35                            | target
        .version 6.4                   | .version 5.0                     | PTX version
        """)
    void refusesEachPlantedFault(String from, String to, String reason) {
        assertTrue(GOOD.contains(from), from);
        String bad = GOOD.replace(from, to);
        try {
            List<PtxFinding> findings = findings(bad);
            assertEquals(1, findings.size(), findings::toString);
            assertTrue(findings.get(0).text().contains(reason), findings::toString);
            int line = GOOD.substring(0, GOOD.indexOf(from)).split("\n", -1).length;
            assertEquals(
                    to.startsWith(".version") || to.equals("sm_35") ? 1 : line,
                    findings.get(0).line());
        } catch (GpuException e) {
            // A texture's operands are already more than the parser takes.
            assertTrue(to.startsWith("tex"), e.failure().message());
        }
        assertThrows(GpuException.class, () -> PtxAuditor.audited(PtxModule.unlisted("test.ptx", bad)));
    }

    @Test
    void refusesATextWhoseHashIsNotTheManifests() {
        GpuException e = assertThrows(
                GpuException.class,
                () -> new PtxModule("linear.ptx", GOOD.replace("%f2", "%f3"), Hashing.sha256(GOOD)));
        assertInstanceOf(GpuFailure.PtxRefused.class, e.failure());
        assertTrue(
                e.failure().message().contains(Hashing.sha256(GOOD).hex()),
                e.failure().message());
    }

    @Test
    void passesEveryShippedModuleWhoseHashIsTheManifests() throws IOException {
        String folder = "/org/bitwitness/kernels/gpu/ptx/";
        int modules = 0;
        for (String line : resource(folder + "manifest.txt").split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("module")) {
                String text = resource(folder + words[1] + ".ptx");
                String listed = words[words.length - 1];
                PtxModule module = new PtxModule(words[1], text, Sha256.ofHex(listed));
                assertTrue(!PtxAuditor.audited(module).functions().isEmpty(), words[1]);
                modules++;
            }
        }
        assertTrue(modules > 10, modules + " modules");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = PtxAuditorTest.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
