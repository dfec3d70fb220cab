package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;

/** Floating-point arithmetic. Every rounding must be spelt out, so {@code add.f32} is unknown here. */
final class DecodeFloat {
    private DecodeFloat() {}

    static Optional<Op> decode(Opcode opcode, Instruction i, Names n) {
        PtxType type = opcode.type();
        if (opcode.base().equals("testp") && i.operands().size() == 2 && type.isFloat()) {
            return testp(opcode, i, n);
        }
        if (opcode.base().equals("copysign")
                && type.isFloat()
                && opcode.middle().isEmpty()) {
            return arithmetic("COPYSIGN", 2, type, i, n);
        }
        if (!type.isFloat()) {
            return Optional.empty();
        }
        return switch (opcode.head()) {
            case "add.rn" -> arithmetic("ADD", 2, type, i, n);
            case "sub.rn" -> arithmetic("SUB", 2, type, i, n);
            case "mul.rn" -> arithmetic("MUL", 2, type, i, n);
            case "div.rn" -> arithmetic("DIV", 2, type, i, n);
            case "fma.rn" -> arithmetic("FMA", 3, type, i, n);
            case "sqrt.rn" -> arithmetic("SQRT", 1, type, i, n);
            case "rcp.rn" -> arithmetic("RCP", 1, type, i, n);
            case "min" -> arithmetic("MIN", 2, type, i, n);
            case "max" -> arithmetic("MAX", 2, type, i, n);
            case "neg" -> arithmetic("NEG", 1, type, i, n);
            case "abs" -> arithmetic("ABS", 1, type, i, n);
            default -> Optional.empty();
        };
    }

    private static Optional<Op> arithmetic(String kind, int sources, PtxType type, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        if (o.size() != sources + 1) {
            return Optional.empty();
        }
        boolean wide = type == PtxType.F64;
        int[] from = new int[3];
        for (int k = 0; k < 3; k++) {
            PtxOperand operand = o.get(Math.min(k, sources - 1) + 1);
            from[k] = wide ? n.q(operand) : n.r(operand, 4);
        }
        int d = n.d(o.get(0), type.bytes());
        return Optional.of(
                wide
                        ? new DoubleOp(i.line(), DoubleOp.Kind.valueOf(kind), d, from[0], from[1], from[2])
                        : new FloatOp(i.line(), FloatOp.Kind.valueOf(kind), d, from[0], from[1], from[2]));
    }

    private static Optional<Op> testp(Opcode opcode, Instruction i, Names n) {
        String asked = opcode.middle().isEmpty() ? "" : opcode.middle().substring(1);
        for (CompareOps.FloatClass known : CompareOps.FloatClass.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(asked)) {
                boolean wide = opcode.type() == PtxType.F64;
                PtxOperand a = i.operands().get(1);
                return Optional.of(new CompareOps.TestClass(
                        i.line(), known, wide, n.d(i.operands().get(0), 0), wide ? n.q(a) : n.r(a, 4)));
            }
        }
        return Optional.empty();
    }
}
