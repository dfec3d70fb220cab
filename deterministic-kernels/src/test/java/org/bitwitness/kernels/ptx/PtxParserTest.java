package org.bitwitness.kernels.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parser reads what nvcc writes, and refuses everything else with a line. */
final class PtxParserTest {
    private static final String HEADER = ".version 6.4\n.target sm_75\n.address_size 64\n";

    private static PtxFile parse(String text) {
        return PtxParser.parse(PtxModule.unlisted("test.ptx", text));
    }

    @Test
    void readsOperandsOfEveryShape() {
        PtxFile file = parse(HEADER + """
            .extern .shared .align 16 .b8 dynamic[];
            .const .align 4 .b8 table[8] = {1, 0, 0, 0, 255};
            .visible .entry k(.param .u64 .ptr .global .align 4 out)
            .maxntid 256, 1, 1
            {
            @!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8];
            { .reg .b32 %r1; mov.u32 %r1, dynamic; }
            setp.lt.f32 %p1|%p2, %f1, 0fBF800000;
            $L_1:
            }
            """);
        assertEquals(0, file.variables().get(0).bytes());
        assertEquals(5, file.variables().get(1).initial().length());
        PtxFunction k = file.functions().get(0);
        assertEquals(List.of(".maxntid 256 , 1 , 1"), k.directives());
        PtxStatement.Instruction load = (PtxStatement.Instruction) k.body().get(0);
        assertEquals(new PtxStatement.Guard("%p1", true), load.guard().orElseThrow());
        assertEquals(
                new PtxOperand.Vector(List.of(new PtxOperand.Register("%r1"), new PtxOperand.Sink())),
                load.operands().get(0));
        assertEquals(
                new PtxOperand.Address(new PtxOperand.Register("%rd1"), -8),
                load.operands().get(1));
        PtxStatement.Instruction inner = (PtxStatement.Instruction) k.body().get(1);
        assertEquals(List.of(new PtxOperand.Register("%r1@1"), new PtxOperand.Symbol("dynamic")), inner.operands());
        PtxStatement.Instruction compare = (PtxStatement.Instruction) k.body().get(2);
        assertEquals(new PtxOperand.Float32(0xBF800000), compare.operands().get(2));
        assertEquals(new PtxStatement.Label(12, "$L_1"), k.body().get(3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".version 6.4",
                HEADER + "/* hidden */",
                HEADER + ".section .debug {}",
                HEADER + ".entry k(",
                HEADER + ".entry k() { .reg .b32 %r<999999999>; }",
                HEADER + ".entry k() { .reg .f16 %h<2>; }",
                HEADER + ".entry k() { {{{{{{{{{ }",
                HEADER + ".entry k() { .pragma \"fast\"; }",
                HEADER + ".entry k() { mov.b32 %r1 %r2; }",
                HEADER + ".entry k() { mov.b32 %r1, 0f12; }",
                HEADER + ".entry k() { .reg .b32 %r<2>; mov.b32 %r1, 010; }",
                HEADER + "// a driver reads no further than \0 this\n.entry k() { ret; }",
                HEADER + "// \u00e9\n.entry k() { ret; }",
                HEADER + ".entry k() { ret; } .entry k() { ret; }",
                HEADER + ".entry k() { .reg .b32 %r<2>, %r1; }",
                HEADER + ".shared .align 3 .b8 x[8];",
                HEADER + ".shared .b8 x[99999999];",
                HEADER + ".const .b8 x[1] = {1, 2};",
                HEADER + ".const .u64 x[1] = {table};",
                ".version 6.4\n.target sm_75\n.address_size 32\n"
            })
    void refusesWhatItDoesNotKnow(String text) {
        GpuException e = assertThrows(GpuException.class, () -> parse(text));
        assertTrue(
                e.failure().message().contains("PTX module test.ptx is refused: line "),
                e.failure().message());
    }

    @Test
    void fallsOverNoDamagedText() throws IOException {
        String samples;
        try (InputStream in = PtxParserTest.class.getResourceAsStream("/ptx/samples.ptx")) {
            samples = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
        assertTrue(samples.length() > 10_000, "the samples are there");
        long seed = 20_261_130;
        Random random = new Random(seed);
        String marks = "{}()[];,%.@!|-0f<>=:x_ \n\u00e9";
        for (int i = 0; i < 400; i++) {
            StringBuilder text = new StringBuilder(samples);
            for (int k = random.nextInt(4); k >= 0; k--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, marks.charAt(random.nextInt(marks.length())));
                    case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(40)));
                    default -> text.setLength(Math.max(1, at));
                }
            }
            PtxModule module = PtxModule.unlisted("damaged.ptx", text.toString());
            try (EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks())) {
                device.load(module);
            } catch (GpuException e) {
                assertTrue(e.failure().message().contains("line "), e.failure().message() + ", seed " + seed);
            }
        }
    }
}
