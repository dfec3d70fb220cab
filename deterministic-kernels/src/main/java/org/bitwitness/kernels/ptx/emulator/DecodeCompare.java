package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;
import org.bitwitness.kernels.ptx.emulator.CompareOps.Comparison;
import org.bitwitness.kernels.ptx.emulator.CompareOps.Test;

/** {@code setp}, {@code selp} and the logic of predicates. */
final class DecodeCompare {
    private DecodeCompare() {}

    static Optional<Op> decode(Opcode opcode, Instruction i, Names n) {
        return switch (opcode.base()) {
            case "setp" -> setp(opcode, i, n);
            case "selp" -> selp(opcode, i, n);
            case "and", "or", "xor", "not", "mov" ->
                opcode.type() == PtxType.PRED && opcode.middle().isEmpty() ? logic(opcode, i, n) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<Op> logic(Opcode opcode, Instruction i, Names n) {
        boolean unary = opcode.base().equals("not") || opcode.base().equals("mov");
        if (i.operands().size() != (unary ? 2 : 3)) {
            return Optional.empty();
        }
        SmallOps.Logic logic = opcode.base().equals("mov")
                ? SmallOps.Logic.COPY
                : SmallOps.Logic.valueOf(opcode.base().toUpperCase(Locale.ROOT));
        PredicateRef a = n.p(i.operands().get(1));
        PredicateRef b = unary ? a : n.p(i.operands().get(2));
        return Optional.of(
                new SmallOps.PredicateLogic(i.line(), logic, n.d(i.operands().get(0), 0), a, b));
    }

    private static Optional<Op> selp(Opcode opcode, Instruction i, Names n) {
        PtxType type = opcode.type();
        List<PtxOperand> o = i.operands();
        if (!opcode.middle().isEmpty() || o.size() != 4 || type.bytes() < 2) {
            return Optional.empty();
        }
        boolean wide = type.bytes() == 8;
        int a = wide ? n.q(o.get(1)) : n.r(o.get(1), type.bytes());
        int b = wide ? n.q(o.get(2)) : n.r(o.get(2), type.bytes());
        return Optional.of(new SmallOps.Select(
                i.line(), new SmallOps.Choice(n.d(o.get(0), type.bytes()), a, b, wide), n.p(o.get(3))));
    }

    private static Optional<Op> setp(Opcode opcode, Instruction i, Names n) {
        PtxType type = opcode.type();
        List<PtxOperand> o = i.operands();
        String[] parts = opcode.middle().split("\\.", -1);
        if (parts.length < 2 || parts.length > 3 || type.bytes() < 2) {
            return Optional.empty();
        }
        CompareOps.Combine combine = CompareOps.Combine.NONE;
        if (parts.length == 3) {
            switch (parts[2]) {
                case "and" -> combine = CompareOps.Combine.AND;
                case "or" -> combine = CompareOps.Combine.OR;
                case "xor" -> combine = CompareOps.Combine.XOR;
                default -> {
                    return Optional.empty();
                }
            }
        }
        if (o.size() != (combine == CompareOps.Combine.NONE ? 3 : 4)) {
            return Optional.empty();
        }
        Operands sources = operands(type, i, n);
        Optional<Comparison> comparison =
                type.isFloat() ? ofFloats(parts[1], type == PtxType.F64, sources) : ofIntegers(parts[1], type, sources);
        if (comparison.isEmpty()) {
            return Optional.empty();
        }
        PredicateRef third = combine == CompareOps.Combine.NONE ? n.columns().truth(true) : n.p(o.get(3));
        CompareOps.SetPredicate compare =
                new CompareOps.SetPredicate(i.line(), comparison.get(), targets(o.get(0), n), combine, third);
        if (sources.before.length == 0) {
            return Optional.of(compare);
        }
        return Optional.of(new SmallOps.Sequence(i.line(), sources.before[0], sources.before[1], compare));
    }

    private static CompareOps.Targets targets(PtxOperand d, Names n) {
        return d instanceof PtxOperand.Pair(PtxOperand first, PtxOperand second)
                ? new CompareOps.Targets(n.d(first, 0), n.d(second, 0))
                : new CompareOps.Targets(n.d(d, 0), -1);
    }

    /** What is compared, after the operations that widen 16-bit values. */
    @SuppressWarnings("ArrayRecordComponent") // built and read here only
    private record Operands(int a, int b, Op... before) {}

    private static Operands operands(PtxType type, Instruction i, Names n) {
        PtxOperand a = i.operands().get(1);
        PtxOperand b = i.operands().get(2);
        if (type.bytes() == 8) {
            return new Operands(n.q(a), n.q(b));
        }
        if (type != PtxType.S16) {
            return new Operands(n.r(a, type.bytes()), n.r(b, type.bytes()));
        }
        int x = n.columns().newInt();
        int y = n.columns().newInt();
        return new Operands(
                x,
                y,
                new IntOp(i.line(), IntOp.Kind.SIGN_16, x, n.r(a, 2), 0),
                new IntOp(i.line(), IntOp.Kind.SIGN_16, y, n.r(b, 2), 0));
    }

    private static Optional<Comparison> ofIntegers(String name, PtxType type, Operands o) {
        boolean wide = type.bytes() == 8;
        Test equal = wide ? Test.EQ_64 : Test.EQ_32;
        Test signed = wide ? Test.LT_S64 : Test.LT_S32;
        Test unsigned = wide ? Test.LT_U64 : Test.LT_U32;
        if (type.kind() == PtxType.Kind.BITS && !name.equals("eq") && !name.equals("ne")) {
            return Optional.empty();
        }
        Test less = type.isSigned() ? signed : unsigned;
        if (type.isSigned() && (name.equals("lo") || name.equals("ls") || name.equals("hi") || name.equals("hs"))) {
            return Optional.empty();
        }
        return switch (name) {
            case "eq" -> Optional.of(new Comparison(equal, false, o.a, o.b));
            case "ne" -> Optional.of(new Comparison(equal, true, o.a, o.b));
            case "lt", "lo" -> Optional.of(new Comparison(less, false, o.a, o.b));
            case "gt", "hi" -> Optional.of(new Comparison(less, false, o.b, o.a));
            case "le", "ls" -> Optional.of(new Comparison(less, true, o.b, o.a));
            case "ge", "hs" -> Optional.of(new Comparison(less, true, o.a, o.b));
            default -> Optional.empty();
        };
    }

    private static Optional<Comparison> ofFloats(String name, boolean wide, Operands o) {
        Test eq = wide ? Test.EQ_F64 : Test.EQ_F32;
        Test lt = wide ? Test.LT_F64 : Test.LT_F32;
        Test le = wide ? Test.LE_F64 : Test.LE_F32;
        Test equ = wide ? Test.EQU_F64 : Test.EQU_F32;
        Test num = wide ? Test.NUM_F64 : Test.NUM_F32;
        return switch (name) {
            case "eq" -> Optional.of(new Comparison(eq, false, o.a, o.b));
            case "ne" -> Optional.of(new Comparison(equ, true, o.a, o.b));
            case "lt" -> Optional.of(new Comparison(lt, false, o.a, o.b));
            case "gt" -> Optional.of(new Comparison(lt, false, o.b, o.a));
            case "le" -> Optional.of(new Comparison(le, false, o.a, o.b));
            case "ge" -> Optional.of(new Comparison(le, false, o.b, o.a));
            case "equ" -> Optional.of(new Comparison(equ, false, o.a, o.b));
            case "neu" -> Optional.of(new Comparison(eq, true, o.a, o.b));
            case "ltu" -> Optional.of(new Comparison(le, true, o.b, o.a));
            case "leu" -> Optional.of(new Comparison(lt, true, o.b, o.a));
            case "gtu" -> Optional.of(new Comparison(le, true, o.a, o.b));
            case "geu" -> Optional.of(new Comparison(lt, true, o.a, o.b));
            case "num" -> Optional.of(new Comparison(num, false, o.a, o.b));
            case "nan" -> Optional.of(new Comparison(num, true, o.a, o.b));
            default -> Optional.empty();
        };
    }
}
