package org.bitwitness.kernels;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Who computes. The id is written into verdicts, so a name is never reused for other arithmetic. */
public enum BackendId {
    /** Plain Java, one scalar operation after the other: the oracle of all others. */
    REFERENCE("reference"),
    /** JDK Vector API on CPU threads. */
    VECTOR("vector"),
    /** NVIDIA GPU: the shipped PTX, launched through the driver. */
    CUDA("cuda"),
    /** The shipped PTX, interpreted on the CPU: slow. */
    PTX_EMULATOR("ptx-emulator");

    private final String text;

    BackendId(String text) {
        this.text = text;
    }

    /** The one spelling, as in verdicts and on the command line. */
    public String text() {
        return text;
    }

    /** True for what is only looked for when somebody asks for it by name: a GPU's driver is a native library. */
    public boolean onlyOnRequest() {
        return this == CUDA || this == PTX_EMULATOR;
    }

    /**
     * Reads the one spelling.
     *
     * @throws IllegalArgumentException naming the known ids
     */
    public static BackendId parse(String text) {
        for (BackendId id : values()) {
            if (id.text.equals(text)) {
                return id;
            }
        }
        throw new IllegalArgumentException("no backend is called \"%s\"; known: %s"
                .formatted(text, Arrays.stream(values()).map(BackendId::text).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
        return text;
    }
}
