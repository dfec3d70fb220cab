package org.bitwitness.kernels.ptx.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;

/** {@code ld} and {@code st}. */
final class DecodeMemory {
    private static final Pattern SHAPE =
            Pattern.compile("(ld|st)(?:\\.(global|shared|const|param))?(\\.nc)?(?:\\.v([24]))?");

    private DecodeMemory() {}

    static Optional<Op> decode(Opcode opcode, Instruction i, Names n) {
        if (!opcode.base().equals("ld") && !opcode.base().equals("st")) {
            return Optional.empty();
        }
        Matcher shape = SHAPE.matcher(opcode.head());
        PtxType type = opcode.type();
        if (!shape.matches()
                || opcode.last().isEmpty()
                || type == PtxType.PRED
                || i.operands().size() != 2) {
            return Optional.empty();
        }
        boolean load = shape.group(1).equals("ld");
        Optional<String> space = Optional.ofNullable(shape.group(2));
        boolean readOnly = shape.group(3) != null;
        int count = shape.group(4) == null ? 1 : Integer.parseInt(shape.group(4));
        if ((readOnly && !(load && space.equals(Optional.of("global"))))
                || (!load && space.equals(Optional.of("const")))
                || count * type.bytes() > 16) {
            return Optional.empty();
        }
        PtxOperand at = i.operands().get(load ? 1 : 0);
        PtxOperand data = i.operands().get(load ? 0 : 1);
        if (!(at instanceof PtxOperand.Address address)) {
            return Optional.empty();
        }
        List<PtxOperand> parts = parts(data, count, n);
        if (space.equals(Optional.of("param"))
                && address.base() instanceof PtxOperand.Symbol(String name)
                && n.words(name).isPresent()) {
            return Optional.of(callParameter(load, type, n.words(name).get(), address.offset(), parts, i, n));
        }
        if (!load && space.equals(Optional.of("param"))) {
            return Optional.empty();
        }
        MemoryAddress where = address(space, address, n);
        MemoryOps.Elements elements = elements(load, type, parts, n);
        return Optional.of(
                load ? new MemoryOps.Load(i.line(), where, elements) : new MemoryOps.Store(i.line(), where, elements));
    }

    private static List<PtxOperand> parts(PtxOperand data, int count, Names n) {
        List<PtxOperand> parts = data instanceof PtxOperand.Vector(List<PtxOperand> vector) ? vector : List.of(data);
        if (parts.size() != count) {
            throw n.refusal("expected %d operands of a vector, found %d".formatted(count, parts.size()));
        }
        return parts;
    }

    private static MemoryAddress address(Optional<String> space, PtxOperand.Address address, Names n) {
        MemoryAddress.Space kind = switch (space.orElse("generic")) {
            case "shared" -> MemoryAddress.Space.SHARED;
            case "param" -> MemoryAddress.Space.PARAM;
            default -> MemoryAddress.Space.ADDRESSED;
        };
        return switch (address.base()) {
            case PtxOperand.Symbol(String name) ->
                new MemoryAddress(
                        kind,
                        -1,
                        false,
                        address.offset() + n.address(name).orElseThrow(() -> n.refusal("undeclared name " + name)));
            case PtxOperand.Register register -> {
                boolean wide = n.registerBytes(register) == 8;
                if (!wide && kind != MemoryAddress.Space.SHARED) {
                    throw n.refusal("an address in this space has 64 bits");
                }
                yield new MemoryAddress(kind, wide ? n.q(register) : n.r(register, 4), wide, address.offset());
            }
            case PtxOperand other -> throw n.refusal("unexpected address " + other);
        };
    }

    private static MemoryOps.Elements elements(boolean load, PtxType type, List<PtxOperand> parts, Names n) {
        int register = Math.max(2, type.bytes());
        for (PtxOperand part : parts) {
            register = Math.max(register, n.registerBytes(part));
        }
        if (type.isFloat() && register != type.bytes()) {
            throw n.refusal("a register of another size than " + type);
        }
        boolean wide = register == 8;
        int[] columns = new int[parts.size()];
        for (int k = 0; k < columns.length; k++) {
            PtxOperand part = parts.get(k);
            columns[k] = load ? n.d(part, register) : wide ? n.q(part) : n.r(part, register);
        }
        return new MemoryOps.Elements(type.bytes(), type.isSigned(), columns, wide, register == 2);
    }

    /** Parameters of a call that was put in place are columns, a word each. */
    private static Op callParameter(
            boolean load, PtxType type, int[] words, long offset, List<PtxOperand> parts, Instruction i, Names n) {
        int first = (int) (offset / 4);
        int each = type.bytes() / 4;
        if (type.bytes() < 4 || offset % 4 != 0 || offset < 0 || first + each * parts.size() > words.length) {
            throw n.refusal("parameters of device functions are whole words within their size");
        }
        List<Op> moves = new ArrayList<>();
        for (PtxOperand part : parts) {
            int word = words[first];
            if (each == 1 && load && n.registerBytes(part) == 8) {
                CastOps.Column from = new CastOps.Column(word, false);
                PtxType wide = type.isSigned() ? PtxType.S64 : PtxType.U64;
                moves.add(new CastOps.IntToInt(
                        i.line(), new CastOps.Column(n.d(part, 8), true), wide, from, type, false));
            } else if (each == 1) {
                moves.add(
                        load
                                ? new IntOp(i.line(), IntOp.Kind.COPY, n.d(part, 4), word, 0)
                                : new IntOp(i.line(), IntOp.Kind.COPY, word, n.r(part, 4), 0));
            } else if (load) {
                moves.add(new LongOp(i.line(), LongOp.Kind.PACK, n.d(part, 8), word, words[first + 1]));
            } else {
                int source = n.q(part);
                moves.add(new NarrowOp(i.line(), NarrowOp.Kind.LOW, word, source));
                moves.add(new NarrowOp(i.line(), NarrowOp.Kind.HIGH, words[first + 1], source));
            }
            first += each;
        }
        return moves.size() == 1 ? moves.get(0) : new SmallOps.Sequence(i.line(), moves.toArray(Op[]::new));
    }
}
