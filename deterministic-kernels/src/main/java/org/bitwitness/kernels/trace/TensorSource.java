package org.bitwitness.kernels.trace;

/** Where an operator's input comes from. */
public sealed interface TensorSource {
    /**
     * Output of an earlier entry of the same trace.
     *
     * @param entry index of the entry
     * @param output position in its list of outputs
     */
    record EntryOutput(int entry, int output) implements TensorSource {
        public EntryOutput {
            if (entry < 0 || output < 0) {
                throw new IllegalArgumentException(
                        "entry and output count from 0, got %d and %d".formatted(entry, output));
            }
        }
    }

    /** A tensor of the state before the step. */
    record StateTensor(String name) implements TensorSource {}

    /** {@code ids} or {@code targets} of the micro-batch. */
    record Batch(String part) implements TensorSource {}

    /** A table that the model fixes: {@code rope.cos}, {@code rope.sin}. */
    record Constant(String name) implements TensorSource {}
}
