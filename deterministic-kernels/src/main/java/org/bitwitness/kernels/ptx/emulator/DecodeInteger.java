package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;

/** Integer arithmetic, logic and shifts, of 16, 32 and 64 bits. */
final class DecodeInteger {
    private DecodeInteger() {}

    static Optional<Op> decode(Opcode opcode, Instruction i, Names n) {
        PtxType type = opcode.type();
        if (type.isFloat() || type.bytes() < 2) {
            return Optional.empty();
        }
        Optional<Op> special = ofItsOwnShape(opcode, i, n);
        if (special.isPresent()) {
            return special;
        }
        return switch (type.bytes()) {
            case 8 -> wide(opcode, i, n);
            case 4 -> kind32(opcode, i.operands().size()).map(kind -> op32(kind, i, n, 4));
            default -> narrow(opcode, i, n);
        };
    }

    /** Which of the 32-bit operations; the type must suit the opcode. */
    private static Optional<IntOp.Kind> kind32(Opcode opcode, int operands) {
        return kindName(opcode, operands).map(IntOp.Kind::valueOf);
    }

    private static Optional<String> kindName(Opcode opcode, int operands) {
        PtxType type = opcode.type();
        boolean bits = type.kind() == PtxType.Kind.BITS;
        boolean signed = type.isSigned();
        String sign = signed ? "_S" : "_U";
        String name = switch (opcode.head()) {
            case "add" -> bits ? "" : "ADD";
            case "sub" -> bits ? "" : "SUB";
            case "mul.lo" -> bits ? "" : "MUL";
            case "mul.hi" -> bits || type.bytes() == 2 ? "" : "MUL_HI" + sign;
            case "min" -> bits ? "" : "MIN" + sign;
            case "max" -> bits ? "" : "MAX" + sign;
            case "div" -> bits ? "" : "DIV" + sign;
            case "rem" -> bits ? "" : "REM" + sign;
            case "and" -> bits ? "AND" : "";
            case "or" -> bits ? "OR" : "";
            case "xor" -> bits ? "XOR" : "";
            case "not" -> bits ? "NOT" : "";
            case "neg" -> signed ? "NEG" : "";
            case "abs" -> signed ? "ABS" : "";
            case "shl" -> bits ? "SHL" : "";
            case "shr" -> signed ? "SHR_S" : "SHR_U";
            case "brev" -> bits && type.bytes() > 2 ? "BREV" : "";
            case "popc" -> bits && type.bytes() == 4 ? "POPC" : "";
            case "clz" -> bits && type.bytes() == 4 ? "CLZ" : "";
            case "bfind" -> bits || type.bytes() != 4 ? "" : "BFIND" + sign;
            case "bfind.shiftamt" -> bits || type.bytes() != 4 ? "" : "BFIND_SHIFT" + sign;
            default -> "";
        };
        if (name.isEmpty()) {
            return Optional.empty();
        }
        boolean unary = List.of("NOT", "NEG", "ABS", "BREV", "POPC", "CLZ").contains(name) || name.startsWith("BFIND");
        return operands == (unary ? 2 : 3) ? Optional.of(name) : Optional.empty();
    }

    private static Op op32(IntOp.Kind kind, Instruction i, Names n, int bytes) {
        boolean isShift = kind == IntOp.Kind.SHL || kind == IntOp.Kind.SHR_S || kind == IntOp.Kind.SHR_U;
        int a = n.r(i.operands().get(1), bytes);
        int b = i.operands().size() > 2 ? n.r(i.operands().get(2), isShift ? 4 : bytes) : a;
        return new IntOp(i.line(), kind, n.d(i.operands().get(0), bytes), a, b);
    }

    /** 16 bits: widened, computed in 32, cut. */
    private static Optional<Op> narrow(Opcode opcode, Instruction i, Names n) {
        Optional<IntOp.Kind> kind = kind32(opcode, i.operands().size());
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        int line = i.line();
        boolean isShift = opcode.base().startsWith("sh");
        int d = n.d(i.operands().get(0), 2);
        int a = n.columns().newInt();
        int b = n.columns().newInt();
        PtxOperand last = i.operands().get(i.operands().size() - 1);
        return Optional.of(new SmallOps.Sequence(
                line,
                new IntOp(line, extension(opcode), a, n.r(i.operands().get(1), 2), 0),
                new IntOp(line, isShift ? IntOp.Kind.COPY : extension(opcode), b, n.r(last, isShift ? 4 : 2), 0),
                new IntOp(line, kind.get(), d, a, b),
                new IntOp(line, IntOp.Kind.LOW_16, d, d, 0)));
    }

    private static IntOp.Kind extension(Opcode opcode) {
        return opcode.type().isSigned() ? IntOp.Kind.SIGN_16 : IntOp.Kind.LOW_16;
    }

    private static Optional<Op> wide(Opcode opcode, Instruction i, Names n) {
        return kindName(opcode, i.operands().size()).map(name -> {
            LongOp.Kind kind = LongOp.Kind.valueOf(name);
            boolean isShift = name.startsWith("SH");
            int a = n.q(i.operands().get(1));
            int b = i.operands().size() < 3
                    ? a
                    : isShift ? n.r(i.operands().get(2), 4) : n.q(i.operands().get(2));
            return new LongOp(i.line(), kind, n.d(i.operands().get(0), 8), a, b);
        });
    }

    private static Optional<Op> ofItsOwnShape(Opcode opcode, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        int line = i.line();
        PtxType type = opcode.type();
        boolean w = type.bytes() == 8;
        boolean bits = type.kind() == PtxType.Kind.BITS;
        String sign = type.isSigned() ? "_S" : "_U";
        String key = opcode.head() + "/" + type.bytes() + "/" + o.size();
        return switch (key) {
            case "mul.wide/4/3" -> bits ? Optional.empty() : mulWide(sign, i, n);
            case "mul.wide/2/3" -> bits ? Optional.empty() : mulWide16(type, i, n);
            case "mad.lo/4/4" -> bits ? Optional.empty() : triple(IntTripleOp.Kind.MAD_LO, i, n);
            case "mad.hi/4/4" -> bits ? Optional.empty() : triple(IntTripleOp.Kind.valueOf("MAD_HI" + sign), i, n);
            case "sad/4/4" -> bits ? Optional.empty() : triple(IntTripleOp.Kind.valueOf("SAD" + sign), i, n);
            case "mad.lo/8/4" -> bits ? Optional.empty() : longTriple(LongTripleOp.Kind.MAD_LO, i, n);
            case "mad.hi/8/4" -> bits ? Optional.empty() : longTriple(LongTripleOp.Kind.valueOf("MAD_HI" + sign), i, n);
            case "mad.wide/4/4" ->
                bits
                        ? Optional.empty()
                        : Optional.of(new LongTripleOp(
                                line,
                                LongTripleOp.Kind.valueOf("MAD_WIDE" + sign),
                                n.d(o.get(0), 8),
                                n.r(o.get(1), 4),
                                n.r(o.get(2), 4),
                                n.q(o.get(3))));
            case "shf.l.wrap/4/4" -> onlyBits(bits, IntTripleOp.Kind.SHF_L_WRAP, i, n);
            case "shf.r.wrap/4/4" -> onlyBits(bits, IntTripleOp.Kind.SHF_R_WRAP, i, n);
            case "shf.l.clamp/4/4" -> onlyBits(bits, IntTripleOp.Kind.SHF_L_CLAMP, i, n);
            case "shf.r.clamp/4/4" -> onlyBits(bits, IntTripleOp.Kind.SHF_R_CLAMP, i, n);
            case "prmt/4/4" -> onlyBits(bits, IntTripleOp.Kind.PRMT, i, n);
            case "bfe/4/4" -> bits ? Optional.empty() : triple(IntTripleOp.Kind.valueOf("BFE" + sign), i, n);
            case "bfe/8/4" ->
                bits
                        ? Optional.empty()
                        : Optional.of(new LongTripleOp(
                                line,
                                LongTripleOp.Kind.valueOf("BFE" + sign),
                                n.d(o.get(0), 8),
                                n.q(o.get(1)),
                                n.r(o.get(2), 4),
                                n.r(o.get(3), 4)));
            case "bfi/4/5", "bfi/8/5" -> bits ? Optional.of(insert(w, i, n)) : Optional.empty();
            case "lop3/4/5" -> bits ? Optional.of(lookup(i, n)) : Optional.empty();
            case "popc/8/2" -> bits ? toNarrow(NarrowOp.Kind.POPC, i, n) : Optional.empty();
            case "clz/8/2" -> bits ? toNarrow(NarrowOp.Kind.CLZ, i, n) : Optional.empty();
            case "bfind/8/2" -> bits ? Optional.empty() : toNarrow(NarrowOp.Kind.valueOf("BFIND" + sign), i, n);
            default -> Optional.empty();
        };
    }

    private static Optional<Op> onlyBits(boolean bits, IntTripleOp.Kind kind, Instruction i, Names n) {
        return bits ? triple(kind, i, n) : Optional.empty();
    }

    private static Optional<Op> triple(IntTripleOp.Kind kind, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        return Optional.of(new IntTripleOp(
                i.line(), kind, n.d(o.get(0), 4), n.r(o.get(1), 4), n.r(o.get(2), 4), n.r(o.get(3), 4)));
    }

    private static Optional<Op> longTriple(LongTripleOp.Kind kind, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        return Optional.of(
                new LongTripleOp(i.line(), kind, n.d(o.get(0), 8), n.q(o.get(1)), n.q(o.get(2)), n.q(o.get(3))));
    }

    private static Optional<Op> mulWide(String sign, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        return Optional.of(new LongOp(
                i.line(),
                LongOp.Kind.valueOf("MUL_WIDE" + sign),
                n.d(o.get(0), 8),
                n.r(o.get(1), 4),
                n.r(o.get(2), 4)));
    }

    private static Optional<Op> mulWide16(PtxType type, Instruction i, Names n) {
        IntOp.Kind extension = type.isSigned() ? IntOp.Kind.SIGN_16 : IntOp.Kind.LOW_16;
        int a = n.columns().newInt();
        int b = n.columns().newInt();
        return Optional.of(new SmallOps.Sequence(
                i.line(),
                new IntOp(i.line(), extension, a, n.r(i.operands().get(1), 2), 0),
                new IntOp(i.line(), extension, b, n.r(i.operands().get(2), 2), 0),
                new IntOp(i.line(), IntOp.Kind.MUL, n.d(i.operands().get(0), 4), a, b)));
    }

    private static Optional<Op> toNarrow(NarrowOp.Kind kind, Instruction i, Names n) {
        return Optional.of(new NarrowOp(
                i.line(), kind, n.d(i.operands().get(0), 4), n.q(i.operands().get(1))));
    }

    private static Op insert(boolean wide, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        int source = wide ? n.q(o.get(1)) : n.r(o.get(1), 4);
        int target = wide ? n.q(o.get(2)) : n.r(o.get(2), 4);
        return new SmallOps.Insert(i.line(), wide, n.d(o.get(0), wide ? 8 : 4), new int[] {
            source, target, n.r(o.get(3), 4), n.r(o.get(4), 4)
        });
    }

    private static Op lookup(Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        if (!(o.get(4) instanceof PtxOperand.Int(long table)) || table < 0 || table > 255) {
            throw n.refusal("the table of lop3 is a number from 0 to 255");
        }
        int[] abc = {n.r(o.get(1), 4), n.r(o.get(2), 4), n.r(o.get(3), 4)};
        return new SmallOps.Lookup3(i.line(), n.d(o.get(0), 4), abc, (int) table);
    }
}
