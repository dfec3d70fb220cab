package org.bitwitness.kernels.ptx;

import java.util.List;

/** One parsed module. */
public record PtxFile(
        String module, String version, String target, List<PtxVariable> variables, List<PtxFunction> functions) {
    public PtxFile {
        variables = List.copyOf(variables);
        functions = List.copyOf(functions);
    }
}
