package org.bitwitness.kernels.program;

/** Over what the loss and the gradient are averages. */
public enum Averaging {
    /** Over the targets of the whole step: every worker multiplies by the step's invCount, nothing after combining. */
    TOKENS,
    /** Over each worker's own targets, then one multiplication of the combined gradient by (float)(1.0/workers). */
    WORKERS
}
