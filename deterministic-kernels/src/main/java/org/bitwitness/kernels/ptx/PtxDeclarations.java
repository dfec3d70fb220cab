package org.bitwitness.kernels.ptx;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Reads declarations of registers, variables and parameters. */
final class PtxDeclarations {
    private final PtxLexer lexer;

    PtxDeclarations(PtxLexer lexer) {
        this.lexer = lexer;
    }

    /** {@code .reg .f32 %f<6>, x;} */
    void registers(PtxScopes scopes) {
        lexer.expect(".reg");
        PtxType type = type();
        do {
            String name = lexer.taken();
            if (lexer.take("<")) {
                int count = (int) integer(1, PtxLimits.MOST_REGISTERS);
                lexer.expect(">");
                for (int i = 0; i < count; i++) {
                    scopes.register(name + i, type);
                }
            } else {
                scopes.register(name, type);
            }
        } while (lexer.take(","));
        lexer.expect(";");
    }

    /** {@code (.param .u64 a, .param .align 8 .b8 b[16])} */
    List<PtxVariable> parameters() {
        List<PtxVariable> parameters = new ArrayList<>();
        lexer.expect("(");
        if (lexer.take(")")) {
            return parameters;
        }
        do {
            PtxVariable parameter = variable(false);
            if (!parameter.space().equals("param")) {
                throw lexer.refusal("a parameter in ." + parameter.space());
            }
            parameters.add(parameter);
            if (parameters.size() > PtxLimits.MOST_OPERANDS) {
                throw lexer.refusal("more than " + PtxLimits.MOST_OPERANDS + " parameters");
            }
        } while (lexer.take(","));
        lexer.expect(")");
        return parameters;
    }

    /** {@code .shared .align 4 .b8 name[64] = {…}}, without the semicolon. */
    PtxVariable variable(boolean external) {
        int line = lexer.line();
        String space = lexer.taken().substring(1);
        int align = 0;
        PtxType found = null;
        while (found == null) {
            if (lexer.take(".align")) {
                align = (int) integer(1, 256);
            } else if (lexer.is(".ptr") || lexer.is(".global") || lexer.is(".shared")) {
                lexer.taken(); // what a parameter points to: a hint
            } else {
                found = type();
                while (lexer.is(".ptr") || lexer.is(".global")) {
                    lexer.taken();
                }
                if (lexer.take(".align")) {
                    align = Math.max(found.bytes(), 1);
                    integer(1, 256); // of what it points to
                }
            }
        }
        PtxType type = found;
        String name = lexer.taken();
        long count = 1;
        if (lexer.take("[")) {
            count = lexer.is("]") ? 0 : integer(0, PtxLimits.MOST_VARIABLE_BYTES);
            lexer.expect("]");
        }
        if (count == 0 && !(external && space.equals("shared"))) {
            throw lexer.refusal(name + " has no size");
        }
        PtxBytes initial = lexer.take("=") ? initial(type) : PtxBytes.NONE;
        long bytes = count * type.bytes();
        if (bytes > PtxLimits.MOST_VARIABLE_BYTES || initial.length() > bytes) {
            throw lexer.refusal("%s takes %d bytes, initialised with %d; at most %d"
                    .formatted(name, bytes, initial.length(), PtxLimits.MOST_VARIABLE_BYTES));
        }
        int alignment = align == 0 ? Math.max(1, type.bytes()) : align;
        if (Integer.bitCount(alignment) != 1) {
            throw lexer.refusal("alignment " + alignment + " is not a power of two");
        }
        return new PtxVariable(space, name, type, alignment, bytes, initial, line);
    }

    private PtxBytes initial(PtxType type) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean braces = lexer.take("{");
        do {
            if (lexer.is("}")) {
                break;
            }
            if (!lexer.is("-") && !Character.isDigit((lexer.token() + " ").charAt(0))) {
                throw lexer.refusal("an initializer that is not a number: " + lexer.found());
            }
            long value = switch (PtxOperands.number(lexer)) {
                case PtxOperand.Int(long v) -> v;
                case PtxOperand.Float32(int bits) -> bits;
                case PtxOperand.Float64(long bits) -> bits;
                case PtxOperand other -> throw lexer.refusal("an initializer that is not a number: " + other);
            };
            for (int i = 0; i < type.bytes(); i++) {
                bytes.write((int) (value >>> (8 * i)));
            }
        } while (braces && lexer.take(","));
        if (braces) {
            lexer.expect("}");
        }
        return new PtxBytes(bytes.toByteArray());
    }

    private PtxType type() {
        String text = lexer.taken();
        return PtxType.parse(text.startsWith(".") ? text.substring(1) : "")
                .orElseThrow(() -> lexer.refusal("expected a type, found \"" + text + "\""));
    }

    private long integer(long least, long most) {
        if (PtxOperands.number(lexer) instanceof PtxOperand.Int(long value) && value >= least && value <= most) {
            return value;
        }
        throw lexer.refusal("expected an integer from %d to %d".formatted(least, most));
    }
}
