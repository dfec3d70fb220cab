package org.bitwitness.kernels.ptx;

/** One thing that the auditor refuses. */
public record PtxFinding(int line, String text) {
    @Override
    public String toString() {
        return "line " + line + ": " + text;
    }
}
