package org.bitwitness.kernels.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.gpu.PtxModule;

/**
 * Reads the part of PTX that nvcc writes for our kernels. What it does not know it refuses, with the line: nothing is
 * skipped except comments. Whether an opcode is known is for the auditor and the emulator to say.
 */
public final class PtxParser {
    private static final Set<String> SPACES = Set.of(".param", ".shared", ".const", ".global", ".local");
    private static final Set<String> DIRECTIVES =
            Set.of(".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".noreturn");

    private final PtxModule module;
    private final PtxLexer lexer;
    private final PtxDeclarations declarations;
    private final List<PtxVariable> variables = new ArrayList<>();
    private final List<PtxFunction> functions = new ArrayList<>();

    private PtxParser(PtxModule module) {
        this.module = module;
        this.lexer = new PtxLexer(module.name(), module.text());
        this.declarations = new PtxDeclarations(lexer);
    }

    /**
     * Parses a module.
     *
     * @throws org.bitwitness.kernels.gpu.GpuException saying the line
     */
    public static PtxFile parse(PtxModule module) {
        return new PtxParser(module).file();
    }

    private PtxFile file() {
        lexer.expect(".version");
        String version = lexer.taken();
        lexer.expect(".target");
        String target = lexer.taken();
        lexer.expect(".address_size");
        if (!lexer.take("64")) {
            throw lexer.refusal("expected addresses of 64 bits, found " + lexer.found());
        }
        while (!lexer.atEnd()) {
            topLevel();
            if (functions.size() > PtxLimits.MOST_FUNCTIONS) {
                throw lexer.refusal("more than " + PtxLimits.MOST_FUNCTIONS + " functions");
            }
        }
        return new PtxFile(module.name(), version, target, variables, functions);
    }

    private void topLevel() {
        boolean external = false;
        while (lexer.is(".visible") || lexer.is(".weak") || lexer.is(".extern")) {
            external |= lexer.taken().equals(".extern");
        }
        if (lexer.is(".entry") || lexer.is(".func")) {
            function(lexer.taken().equals(".entry"));
        } else if (SPACES.contains(lexer.token())) {
            PtxVariable variable = declarations.variable(external);
            lexer.expect(";");
            if (variable.space().equals("param") || variable.space().equals("local")) {
                throw lexer.refusal("a ." + variable.space() + " variable outside of a function");
            }
            variables.add(variable);
        } else {
            throw lexer.refusal("expected a variable or a function, found " + lexer.found());
        }
    }

    private void function(boolean entry) {
        int line = lexer.line();
        List<PtxVariable> results = List.of();
        if (!entry && lexer.is("(")) {
            results = declarations.parameters();
        }
        String name = lexer.taken();
        List<PtxVariable> params = lexer.is("(") ? declarations.parameters() : List.of();
        List<String> directives = directives();
        if (lexer.take(";")) {
            return; // a declaration; the definition comes later or a call finds none
        }
        lexer.expect("{");
        PtxScopes scopes = new PtxScopes(lexer);
        List<PtxStatement> body = body(scopes);
        if (functions.stream().anyMatch(f -> f.name().equals(name))) {
            throw lexer.refusal("function " + name + " is defined twice");
        }
        functions.add(new PtxFunction(
                name, entry, results, params, directives, scopes.registers(), scopes.variables(), body, line));
    }

    private List<String> directives() {
        List<String> directives = new ArrayList<>();
        while (DIRECTIVES.contains(lexer.token())) {
            StringBuilder directive = new StringBuilder(lexer.taken());
            while (!lexer.is("{") && !lexer.is(";") && !lexer.token().startsWith(".")) {
                directive.append(' ').append(lexer.taken());
            }
            directives.add(directive.toString());
        }
        return directives;
    }

    private List<PtxStatement> body(PtxScopes scopes) {
        List<PtxStatement> body = new ArrayList<>();
        while (true) {
            if (body.size() > PtxLimits.MOST_STATEMENTS) {
                throw lexer.refusal("more than " + PtxLimits.MOST_STATEMENTS + " statements in a function");
            }
            if (lexer.take("{")) {
                scopes.enter();
            } else if (lexer.take("}")) {
                if (!scopes.leave()) {
                    return body;
                }
            } else if (lexer.is(".reg")) {
                declarations.registers(scopes);
            } else if (SPACES.contains(lexer.token())) {
                scopes.variable(declarations.variable(false));
                lexer.expect(";");
            } else if (lexer.take(".pragma")) {
                pragma();
            } else {
                body.add(statement(scopes));
            }
        }
    }

    private void pragma() {
        String text = lexer.taken();
        if (!text.equals("\"nounroll\"")) {
            throw lexer.refusal("unknown pragma " + text);
        }
        lexer.expect(";");
    }

    private PtxStatement statement(PtxScopes scopes) {
        int line = lexer.line();
        Optional<PtxStatement.Guard> guard = Optional.empty();
        if (lexer.take("@")) {
            boolean negated = lexer.take("!");
            guard = Optional.of(new PtxStatement.Guard(scopes.resolve(lexer.taken()), negated));
        }
        String opcode = lexer.taken();
        if (guard.isEmpty() && lexer.take(":")) {
            return new PtxStatement.Label(line, opcode);
        }
        char first = opcode.charAt(0);
        if (first < 'a' || first > 'z') {
            throw lexer.refusal("expected an instruction, found \"" + opcode + "\"");
        }
        List<PtxOperand> operands = new ArrayList<>();
        PtxOperands reader = new PtxOperands(lexer, scopes);
        if (!lexer.is(";")) {
            do {
                operands.add(reader.operand(0));
                if (operands.size() > PtxLimits.MOST_OPERANDS) {
                    throw lexer.refusal("more than " + PtxLimits.MOST_OPERANDS + " operands");
                }
            } while (lexer.take(","));
        }
        lexer.expect(";");
        return new PtxStatement.Instruction(line, guard, opcode, operands);
    }
}
