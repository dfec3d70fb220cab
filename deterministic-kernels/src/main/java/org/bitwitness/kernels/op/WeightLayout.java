package org.bitwitness.kernels.op;

/** How a matrix of a linear layer is stored. */
public enum WeightLayout {
    /** [inputs, outputs]: GPT-2's Conv1D. */
    IN_OUT,
    /** [outputs, inputs]: Linear, and an embedding used as output head. */
    OUT_IN
}
