package org.bitwitness.kernels.ptx;

/** What a module may ask of a parser: far above what kernels need, far below what would hurt. */
final class PtxLimits {
    static final int MOST_LINES = 500_000;
    static final int MOST_FUNCTIONS = 4_096;
    static final int MOST_REGISTERS = 100_000;
    static final int MOST_STATEMENTS = 200_000;
    static final int MOST_OPERANDS = 256;
    static final int MOST_DEPTH = 8;
    static final long MOST_VARIABLE_BYTES = 1 << 20;

    private PtxLimits() {}
}
