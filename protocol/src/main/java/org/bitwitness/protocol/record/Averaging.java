package org.bitwitness.protocol.record;

import org.bitwitness.protocol.Excerpt;

/** What a summed gradient is divided by. */
public enum Averaging {
    /** By the number of targets of the whole step. */
    TOKENS,
    /** By each worker's own number of targets, then by the number of workers. */
    WORKERS;

    /** Reads the one spelling, which is the name. */
    public static Averaging ofText(String text) {
        for (Averaging averaging : values()) {
            if (averaging.name().equals(text)) {
                return averaging;
            }
        }
        throw new IllegalArgumentException("averaging is TOKENS or WORKERS, got \"" + Excerpt.of(text) + "\"");
    }
}
