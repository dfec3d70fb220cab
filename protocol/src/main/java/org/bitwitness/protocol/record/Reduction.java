package org.bitwitness.protocol.record;

/** How workers' gradients become one. */
public enum Reduction {
    /** Single-precision additions in a recorded tree. */
    ORDERED,
    /** Exact integer sums, independent of order. */
    EXACT
}
