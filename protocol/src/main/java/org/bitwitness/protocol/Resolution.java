package org.bitwitness.protocol;

/** How finely a first difference is known, coarsest first. Finer fields are absent, never guessed. */
public enum Resolution {
    UNIT("unit"),
    STEP("step"),
    PHASE("phase"),
    WORKER("worker"),
    MICRO_BATCH("microBatch"),
    OPERATOR("operator"),
    TENSOR("tensor"),
    ELEMENT("element");

    private final String text;

    Resolution(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /**
     * The resolution with this spelling.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Resolution ofText(String text) {
        for (Resolution resolution : values()) {
            if (resolution.text.equals(text)) {
                return resolution;
            }
        }
        throw new IllegalArgumentException("unknown resolution \"" + text + "\"");
    }
}
