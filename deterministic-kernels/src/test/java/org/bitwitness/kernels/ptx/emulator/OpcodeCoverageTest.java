package org.bitwitness.kernels.ptx.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.ptx.AllowedOpcodes;
import org.bitwitness.kernels.ptx.PtxFile;
import org.bitwitness.kernels.ptx.PtxParser;
import org.junit.jupiter.api.Test;

/** The auditor's list and the emulator's knowledge are the same set. */
final class OpcodeCoverageTest {
    private static void decode(String instruction) {
        PtxFile file = PtxParser.parse(Ptx.module(Ptx.kernel(instruction + ";\nEND:")));
        assertEquals(
                "k", Decoder.kernel(file, file.functions().get(0), Map.of()).name());
    }

    @Test
    void theEmulatorKnowsEveryAllowedOpcode() {
        List<String> unknown = new ArrayList<>();
        int known = 0;
        for (String opcode : AllowedOpcodes.all()) {
            if (opcode.startsWith("call") || opcode.startsWith("st.param")) {
                continue; // need a device function: the samples have one
            }
            try {
                decode(opcode + " " + operands(opcode));
                known++;
            } catch (GpuException e) {
                unknown.add(opcode + ": " + e.failure().message());
            }
        }
        assertEquals(List.of(), unknown);
        assertTrue(known > 700, known + " opcodes");
    }

    @Test
    void theEmulatorByItselfRefusesWhatIsNotAllowed() {
        for (String opcode : List.of(
                "add.f32",
                "add.rn.ftz.f32",
                "add.rn.sat.f32",
                "mul.f32",
                "fma.rz.f32",
                "div.full.f32",
                "div.approx.f32",
                "sqrt.approx.f32",
                "min.ftz.f32",
                "add.rm.f64",
                "mul.hi.b32",
                "and.u32",
                "setp.lo.s32",
                "neg.u32")) {
            assertTrue(!AllowedOpcodes.contains(opcode), opcode);
            String operands = operands(opcode);
            assertThrows(GpuException.class, () -> decode(opcode + " " + operands), opcode);
        }
    }

    private static String operands(String opcode) {
        String[] parts = opcode.split("\\.", -1);
        String last = parts[parts.length - 1];
        String type = register(last);
        String wider = last.endsWith("16") ? "%r4" : "%rd5";
        return switch (parts[0]) {
            case "not", "neg", "abs", "brev", "sqrt", "rcp", "mov" -> type + ", " + type;
            case "popc", "clz", "bfind", "activemask" -> "%r4" + (parts[0].equals("activemask") ? "" : ", " + type);
            case "shl", "shr" -> type + ", " + type + ", %r5";
            case "mul" -> (opcode.contains("wide") ? wider : type) + ", " + type + ", " + type;
            case "mad", "fma", "sad", "prmt", "shf" ->
                opcode.contains("wide")
                        ? wider + ", " + type + ", " + type + ", " + wider
                        : type + ", " + type + ", " + type + ", " + (parts[0].equals("shf") ? "%r5" : type);
            case "bfe" -> type + ", " + type + ", %r5, %r6";
            case "bfi" -> type + ", " + type + ", " + type + ", %r5, %r6";
            case "lop3" -> "%r4, %r5, %r6, %r7, 150";
            case "testp" -> "%p1, " + type;
            case "setp" -> "%p1|%p2, " + type + ", " + type + (parts.length == 4 ? ", !%p3" : "");
            case "selp" -> type + ", " + type + ", " + type + ", %p1";
            case "cvta" -> "%rd5, %rd6";
            case "cvt" -> register(parts[parts.length - 2]) + ", " + type;
            case "ld" -> vector(opcode, type) + ", " + (opcode.contains("param") ? "[in]" : "[%rd5+16]");
            case "st" -> "[%rd5+16], " + vector(opcode, type);
            case "bra" -> "END";
            case "ret", "exit", "trap" -> "";
            case "bar", "barrier" -> opcode.equals("bar.warp.sync") ? "-1" : "0";
            case "shfl" -> "%r4|%p1, %r5, 1, 31, -1";
            case "vote" -> (opcode.contains("ballot") ? "%r4" : "%p1") + ", !%p2, -1";
            default -> type + ", " + type + ", " + type;
        };
    }

    private static String vector(String opcode, String type) {
        return opcode.contains(".v2.")
                ? "{" + type + ", " + type + "}"
                : opcode.contains(".v4.") ? "{" + type + ", " + type + ", " + type + ", " + type + "}" : type;
    }

    private static String register(String type) {
        return switch (type) {
            case "pred" -> "%p4";
            case "f32" -> "%f4";
            case "f64" -> "%fd4";
            case "b16", "u16", "s16" -> "%rs4";
            case "b64", "u64", "s64" -> "%rd7";
            default -> "%r7";
        };
    }
}
