package org.bitwitness.protocol.record;

/** What a run keeps about the operators of its steps. */
public enum TracePolicy {
    /** Nothing. */
    NONE("none"),
    /** Trace roots in the step records. */
    ROOTS("roots"),
    /** Trace roots, and the root of every operator's outputs in {@code traces/}. */
    OPERATORS("operators");

    private final String text;

    TracePolicy(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
