package org.bitwitness.recorder.train;

/**
 * Whether the steps of a run are hashed and recorded. A run that keeps {@link #NOTHING} does the same steps and leaves a
 * recording that ends at OPEN, so it can be taken for nothing else: it exists to measure what recording costs.
 */
public enum RecordingMode {
    STEPS,
    NOTHING
}
