package org.bitwitness.protocol;

/** Part of a step, in the order in which it happens; also the phase of a trace entry. */
public enum Phase {
    /** Reading the inputs: batch, order, learning rate, counters. Never the phase of a trace entry. */
    DATA("data"),
    FORWARD("forward"),
    BACKWARD("backward"),
    /** Adding a micro-batch's gradients to the worker's. */
    ACCUMULATE("accumulate"),
    /** Handing the worker's gradients over to the reduction. */
    EMIT("emit"),
    REDUCE("reduce"),
    UPDATE("update");

    private final String text;

    Phase(String text) {
        this.text = text;
    }

    /** The spelling in hashes and in JSON. */
    public String text() {
        return text;
    }

    /**
     * The phase with this spelling.
     *
     * @throws IllegalArgumentException if no phase is spelled so
     */
    public static Phase ofText(String text) {
        for (Phase phase : values()) {
            if (phase.text.equals(text)) {
                return phase;
            }
        }
        throw new IllegalArgumentException(
                "a phase is data, forward, backward, accumulate, emit, reduce or update, got \"" + text + "\"");
    }
}
