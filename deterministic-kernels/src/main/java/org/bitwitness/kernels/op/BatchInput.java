package org.bitwitness.kernels.op;

/** What an operator reads of the micro-batch itself, besides tensors. */
public enum BatchInput {
    NONE,
    IDS,
    TARGETS
}
