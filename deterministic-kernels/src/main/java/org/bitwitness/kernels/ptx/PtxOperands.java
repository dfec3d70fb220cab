package org.bitwitness.kernels.ptx;

import java.util.ArrayList;
import java.util.List;

/** Reads operands. */
final class PtxOperands {
    private final PtxLexer lexer;
    private final PtxScopes scopes;

    PtxOperands(PtxLexer lexer, PtxScopes scopes) {
        this.lexer = lexer;
        this.scopes = scopes;
    }

    PtxOperand operand(int depth) {
        if (depth > 2) {
            throw lexer.refusal("operands nest too deep");
        }
        PtxOperand operand = single(depth);
        return lexer.take("|") ? new PtxOperand.Pair(operand, single(depth)) : operand;
    }

    private PtxOperand single(int depth) {
        if (lexer.take("{")) {
            return new PtxOperand.Vector(list("}", depth));
        }
        if (lexer.take("(")) {
            return new PtxOperand.Group(list(")", depth));
        }
        if (lexer.take("[")) {
            return address();
        }
        if (lexer.take("!")) {
            return new PtxOperand.NotRegister(scopes.resolve(lexer.taken()));
        }
        if (lexer.take("_")) {
            return new PtxOperand.Sink();
        }
        if (lexer.is("-")
                || Character.isDigit(
                        lexer.token().isEmpty() ? ' ' : lexer.token().charAt(0))) {
            return number(lexer);
        }
        return named(lexer.taken());
    }

    private PtxOperand address() {
        PtxOperand base = named(lexer.taken());
        long offset = 0;
        if (lexer.is("+") || lexer.is("-")) {
            boolean plus = lexer.take("+");
            PtxOperand number = number(lexer);
            if (!(number instanceof PtxOperand.Int(long value))) {
                throw lexer.refusal("an offset is an integer");
            }
            // "[a-4]" and "[a+-4]" both occur: a minus belongs to the number.
            offset = value;
            if (!plus && value > 0) {
                throw lexer.refusal("unexpected sign of an offset");
            }
        }
        lexer.expect("]");
        return new PtxOperand.Address(base, offset);
    }

    private PtxOperand named(String name) {
        String unique = scopes.resolve(name);
        if (name.startsWith("%") || !unique.equals(name)) {
            return isVariable(unique) ? new PtxOperand.Symbol(unique) : new PtxOperand.Register(unique);
        }
        return isRegister(unique) ? new PtxOperand.Register(unique) : new PtxOperand.Symbol(unique);
    }

    private boolean isVariable(String unique) {
        return scopes.variables().stream().anyMatch(v -> v.name().equals(unique));
    }

    private boolean isRegister(String unique) {
        return scopes.isRegister(unique);
    }

    private List<PtxOperand> list(String end, int depth) {
        List<PtxOperand> parts = new ArrayList<>();
        if (lexer.take(end)) {
            return parts;
        }
        do {
            parts.add(operand(depth + 1));
            if (parts.size() > PtxLimits.MOST_OPERANDS) {
                throw lexer.refusal("more than " + PtxLimits.MOST_OPERANDS + " operands");
            }
        } while (lexer.take(","));
        lexer.expect(end);
        return parts;
    }

    /** An integer, or the bits of a float after {@code 0f} or {@code 0d}. */
    static PtxOperand number(PtxLexer lexer) {
        boolean minus = lexer.take("-");
        String text = lexer.taken();
        try {
            String digits = text.length() > 2 ? text.substring(2) : "";
            if (!minus && digits.length() == 8 && (text.startsWith("0f") || text.startsWith("0F"))) {
                return new PtxOperand.Float32(Integer.parseUnsignedInt(digits, 16));
            }
            if (!minus && digits.length() == 16 && (text.startsWith("0d") || text.startsWith("0D"))) {
                return new PtxOperand.Float64(Long.parseUnsignedLong(digits, 16));
            }
            if (text.length() > 1 && text.charAt(0) == '0' && Character.isDigit(text.charAt(1))) {
                throw lexer.refusal("\"" + text + "\" is octal to a driver: nvcc writes none");
            }
            long value = text.startsWith("0x") || text.startsWith("0X")
                    ? Long.parseUnsignedLong(digits.replace("U", ""), 16)
                    : Long.parseUnsignedLong(text.endsWith("U") ? text.substring(0, text.length() - 1) : text);
            return new PtxOperand.Int(minus ? -value : value);
        } catch (NumberFormatException e) {
            throw lexer.refusal("expected a number, found \"" + text + "\"");
        }
    }
}
