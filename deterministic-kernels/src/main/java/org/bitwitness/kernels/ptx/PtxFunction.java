package org.bitwitness.kernels.ptx;

import java.util.List;

/**
 * A kernel or a device function. Registers and variables of inner scopes are renamed, so every name here is unique.
 *
 * @param directives performance directives as spelt, {@code .maxntid 256, 1, 1}
 */
public record PtxFunction(
        String name,
        boolean entry,
        List<PtxVariable> results,
        List<PtxVariable> params,
        List<String> directives,
        List<PtxRegister> registers,
        List<PtxVariable> variables,
        List<PtxStatement> body,
        int line) {
    public PtxFunction {
        results = List.copyOf(results);
        params = List.copyOf(params);
        directives = List.copyOf(directives);
        registers = List.copyOf(registers);
        variables = List.copyOf(variables);
        body = List.copyOf(body);
    }
}
