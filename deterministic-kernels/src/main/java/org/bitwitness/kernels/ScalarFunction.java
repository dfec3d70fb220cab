package org.bitwitness.kernels;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The elementary float32 functions of the profile (docs/numerics.md, "Functions"). */
public enum ScalarFunction {
    EXP,
    LOG,
    TANH,
    SIGMOID,
    ERF,
    /** 1/√x, two rounded operations. */
    RSQRT;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads the lower-case name.
     *
     * @throws IllegalArgumentException naming the known functions
     */
    public static ScalarFunction parse(String text) {
        for (ScalarFunction f : values()) {
            if (f.text().equals(text)) {
                return f;
            }
        }
        throw new IllegalArgumentException("no function is called \"%s\"; known: %s"
                .formatted(
                        text, Arrays.stream(values()).map(ScalarFunction::text).collect(Collectors.joining(", "))));
    }
}
