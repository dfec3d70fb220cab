package org.bitwitness.kernels.program;

/** Model families whose step programs are defined. */
public enum Family {
    GPT2("gpt2"),
    LLAMA("llama");

    private final String text;

    Family(String text) {
        this.text = text;
    }

    /** As in configuration files and descriptors. */
    public String text() {
        return text;
    }

    /**
     * Reads the name used in configuration files.
     *
     * @throws IllegalArgumentException naming the known families
     */
    public static Family parse(String text) {
        for (Family family : values()) {
            if (family.text.equals(text)) {
                return family;
            }
        }
        throw new IllegalArgumentException("no model family is called \"" + text + "\"; known: gpt2, llama");
    }
}
