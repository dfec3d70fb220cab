package org.bitwitness.kernels.ptx;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Names of one function: a name of an inner scope gets a number, so that all are unique afterwards. */
final class PtxScopes {
    private final PtxLexer lexer;
    private final Deque<Map<String, String>> open = new ArrayDeque<>();
    private final Map<String, PtxRegister> registers = new LinkedHashMap<>();
    private final List<PtxVariable> variables = new ArrayList<>();
    private int scopes;

    PtxScopes(PtxLexer lexer) {
        this.lexer = lexer;
        open.push(new HashMap<>());
    }

    void enter() {
        if (open.size() >= PtxLimits.MOST_DEPTH) {
            throw lexer.refusal("scopes nest deeper than " + PtxLimits.MOST_DEPTH);
        }
        scopes++;
        open.push(new HashMap<>());
    }

    /** Leaves an inner scope; false when the function itself ends. */
    boolean leave() {
        open.pop();
        return !open.isEmpty();
    }

    void register(String name, PtxType type) {
        String unique = declare(name);
        registers.put(unique, new PtxRegister(unique, type));
        if (registers.size() > PtxLimits.MOST_REGISTERS) {
            throw lexer.refusal("more than " + PtxLimits.MOST_REGISTERS + " registers in a function");
        }
    }

    void variable(PtxVariable v) {
        String unique = declare(v.name());
        variables.add(new PtxVariable(v.space(), unique, v.type(), v.align(), v.bytes(), v.initial(), v.line()));
    }

    /** The unique name that a spelling stands for here; itself when it is not declared in this function. */
    String resolve(String name) {
        for (Map<String, String> scope : open) {
            String unique = scope.get(name);
            if (unique != null) {
                return unique;
            }
        }
        return name;
    }

    boolean isRegister(String unique) {
        return registers.containsKey(unique);
    }

    List<PtxRegister> registers() {
        return List.copyOf(registers.values());
    }

    List<PtxVariable> variables() {
        return variables;
    }

    private String declare(String name) {
        Map<String, String> scope = open.element();
        String unique = open.size() == 1 ? name : name + "@" + scopes;
        if (scope.put(name, unique) != null) {
            throw lexer.refusal(name + " is declared twice");
        }
        return unique;
    }
}
