package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;

/** {@code mov}, {@code cvt} and {@code cvta}. */
final class DecodeMove {
    private DecodeMove() {}

    static Optional<Op> decode(Opcode opcode, Instruction i, Names n) {
        if (i.operands().size() != 2) {
            return Optional.empty();
        }
        return switch (opcode.base()) {
            case "mov" -> opcode.middle().isEmpty() ? mov(opcode.type(), i, n) : Optional.empty();
            case "cvt" -> cvt(opcode, i, n);
            case "cvta" -> cvta(opcode, i, n);
            default -> Optional.empty();
        };
    }

    private static Optional<Op> mov(PtxType type, Instruction i, Names n) {
        PtxOperand to = i.operands().get(0);
        PtxOperand from = i.operands().get(1);
        if (type.bytes() < 2) {
            return Optional.empty();
        }
        if (from instanceof PtxOperand.Vector(List<PtxOperand> parts)) {
            return pack(type, to, parts, i, n);
        }
        if (to instanceof PtxOperand.Vector(List<PtxOperand> parts)) {
            return unpack(type, parts, from, i, n);
        }
        if (type.bytes() == 8) {
            return Optional.of(new LongOp(i.line(), LongOp.Kind.COPY, n.d(to, 8), n.q(from), 0));
        }
        return Optional.of(new IntOp(i.line(), IntOp.Kind.COPY, n.d(to, type.bytes()), n.r(from, type.bytes()), 0));
    }

    /** {@code mov.b64 d, {low, high}} and the same with halves of 32 bits. */
    private static Optional<Op> pack(PtxType type, PtxOperand to, List<PtxOperand> parts, Instruction i, Names n) {
        if (type.kind() != PtxType.Kind.BITS || parts.size() != 2 || type.bytes() < 4) {
            return Optional.empty();
        }
        int half = type.bytes() / 2;
        int low = n.r(parts.get(0), half);
        int high = n.r(parts.get(1), half);
        if (half == 4) {
            return Optional.of(new LongOp(i.line(), LongOp.Kind.PACK, n.d(to, 8), low, high));
        }
        int[] operands = {high, low, n.columns().constant(16), n.columns().constant(16)};
        return Optional.of(new SmallOps.Insert(i.line(), false, n.d(to, 4), operands));
    }

    private static Optional<Op> unpack(PtxType type, List<PtxOperand> parts, PtxOperand from, Instruction i, Names n) {
        if (type.kind() != PtxType.Kind.BITS || parts.size() != 2 || type.bytes() < 4) {
            return Optional.empty();
        }
        int line = i.line();
        if (type.bytes() == 8) {
            int source = n.q(from);
            return Optional.of(new SmallOps.Sequence(
                    line,
                    new NarrowOp(line, NarrowOp.Kind.LOW, n.d(parts.get(0), 4), source),
                    new NarrowOp(line, NarrowOp.Kind.HIGH, n.d(parts.get(1), 4), source)));
        }
        int source = n.r(from, 4);
        return Optional.of(new SmallOps.Sequence(
                line,
                new IntOp(line, IntOp.Kind.LOW_16, n.d(parts.get(0), 2), source, 0),
                new IntOp(
                        line,
                        IntOp.Kind.SHR_U,
                        n.d(parts.get(1), 2),
                        source,
                        n.columns().constant(16))));
    }

    /** Generic addresses are the addresses of global and constant memory; shared memory has a window. */
    private static Optional<Op> cvta(Opcode opcode, Instruction i, Names n) {
        if (opcode.type() != PtxType.U64) {
            return Optional.empty();
        }
        LongOp.Kind kind;
        switch (opcode.head()) {
            case "cvta.to.global", "cvta.global", "cvta.to.const", "cvta.const" -> kind = LongOp.Kind.COPY;
            case "cvta.shared" -> kind = LongOp.Kind.ADD;
            case "cvta.to.shared" -> kind = LongOp.Kind.SUB;
            default -> {
                return Optional.empty();
            }
        }
        int window = n.columns().constant(DeviceMemory.SHARED_WINDOW);
        return Optional.of(new LongOp(
                i.line(), kind, n.d(i.operands().get(0), 8), n.q(i.operands().get(1)), window));
    }

    private static Optional<Op> cvt(Opcode opcode, Instruction i, Names n) {
        // cvt{.rounding}.to.from
        String[] parts = opcode.head().split("\\.", -1);
        if (parts.length < 2 || parts.length > 3 || opcode.last().isEmpty()) {
            return Optional.empty();
        }
        Optional<PtxType> to = PtxType.parse(parts[parts.length - 1]);
        String rounding = parts.length == 3 ? parts[1] : "";
        PtxType from = opcode.type();
        if (to.isEmpty() || to.get() == PtxType.PRED || from == PtxType.PRED || isBits(to.get()) || isBits(from)) {
            return Optional.empty();
        }
        if (to.get().isFloat()) {
            return from.isFloat()
                    ? floatToFloat(rounding, to.get(), from, i, n)
                    : intToFloat(rounding, to.get(), from, i, n);
        }
        int register = destinationBytes(to.get(), i, n);
        CastOps.Column d = new CastOps.Column(n.d(i.operands().get(0), register), register == 8);
        if (from.isFloat()) {
            return floatToInt(rounding, to.get(), d, register == 2, i, n);
        }
        if (!rounding.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CastOps.IntToInt(i.line(), d, to.get(), intSource(from, i, n), from, register == 2));
    }

    private static boolean isBits(PtxType type) {
        return type.kind() == PtxType.Kind.BITS;
    }

    /** A destination register may be wider than its type. */
    private static int destinationBytes(PtxType type, Instruction i, Names n) {
        int bytes = n.registerBytes(i.operands().get(0));
        return bytes < 2 || bytes < type.bytes() ? Math.max(2, type.bytes()) : bytes;
    }

    private static CastOps.Column intSource(PtxType type, Instruction i, Names n) {
        PtxOperand from = i.operands().get(1);
        int bytes = n.registerBytes(from);
        if (bytes < type.bytes() || bytes < 2) {
            bytes = Math.max(2, type.bytes());
        }
        return bytes == 8 ? new CastOps.Column(n.q(from), true) : new CastOps.Column(n.r(from, bytes), false);
    }

    private static Optional<Op> floatToInt(
            String rounding, PtxType to, CastOps.Column d, boolean low16, Instruction i, Names n) {
        boolean wide = Opcode.of(i.opcode()).type() == PtxType.F64;
        PtxOperand from = i.operands().get(1);
        CastOps.Column source = new CastOps.Column(wide ? n.q(from) : n.r(from, 4), wide);
        for (CastOps.Rounding known : CastOps.Rounding.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(rounding)) {
                return Optional.of(new CastOps.FloatToInt(i.line(), d, to, source, known, low16));
            }
        }
        return Optional.empty();
    }

    private static Optional<Op> intToFloat(String rounding, PtxType to, PtxType from, Instruction i, Names n) {
        if (!rounding.equals("rn")) {
            return Optional.empty();
        }
        CastOps.Column source = intSource(from, i, n);
        int line = i.line();
        String kind = "FROM_" + (from.isSigned() ? "S" : "U") + (from.bytes() == 8 ? "64" : "32");
        if (from.bytes() < 4) {
            int widened = n.columns().newInt();
            PtxType full = from.isSigned() ? PtxType.S32 : PtxType.U32;
            return Optional.of(new SmallOps.Sequence(
                    line,
                    new CastOps.IntToInt(line, new CastOps.Column(widened, false), full, source, from, false),
                    fromInt(kind, to, widened, i, n)));
        }
        return Optional.of(fromInt(kind, to, source.at(), i, n));
    }

    private static Op fromInt(String kind, PtxType to, int source, Instruction i, Names n) {
        int d = n.d(i.operands().get(0), to.bytes());
        return to == PtxType.F64
                ? new DoubleOp(i.line(), DoubleOp.Kind.valueOf(kind), d, source, 0, 0)
                : new FloatOp(i.line(), FloatOp.Kind.valueOf(kind), d, source, 0, 0);
    }

    private static Optional<Op> floatToFloat(String rounding, PtxType to, PtxType from, Instruction i, Names n) {
        int d = n.d(i.operands().get(0), to.bytes());
        PtxOperand operand = i.operands().get(1);
        int a = from == PtxType.F64 ? n.q(operand) : n.r(operand, 4);
        if (to != from) {
            if (to == PtxType.F64) {
                return rounding.isEmpty()
                        ? Optional.of(new DoubleOp(i.line(), DoubleOp.Kind.FROM_F32, d, a, 0, 0))
                        : Optional.empty();
            }
            return rounding.equals("rn")
                    ? Optional.of(new FloatOp(i.line(), FloatOp.Kind.FROM_F64, d, a, 0, 0))
                    : Optional.empty();
        }
        String kind = switch (rounding) {
            case "rni" -> "RINT";
            case "rzi" -> "TRUNC";
            case "rmi" -> "FLOOR";
            case "rpi" -> "CEIL";
            default -> "";
        };
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                to == PtxType.F64
                        ? new DoubleOp(i.line(), DoubleOp.Kind.valueOf(kind), d, a, 0, 0)
                        : new FloatOp(i.line(), FloatOp.Kind.valueOf(kind), d, a, 0, 0));
    }
}
