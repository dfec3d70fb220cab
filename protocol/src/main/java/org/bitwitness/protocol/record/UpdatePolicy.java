package org.bitwitness.protocol.record;

/** What a run keeps between its stored states, so that any state is reached without computing gradients again. */
public enum UpdatePolicy {
    /** Nothing: a state between two stored ones is reached by replaying whole steps. */
    NONE("none"),
    /** The combined gradient of every valid step, in {@code updates/}. */
    GRADIENTS("gradients");

    private final String text;

    UpdatePolicy(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
