package org.bitwitness.replayer;

import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.kernels.Economy;

/** How a replay holds what it computes with, from the one that needs most to the one that needs least. No bit depends on it. */
public enum Manner {
    /** Everything, and every gradient of a step, in memory. */
    IN_MEMORY("in memory", false, Economy.NONE),
    /** States and workers' gradients in a temporary file; in memory the parameters, one gradient, all activations. */
    SPILL("states and gradients on disk", true, new Economy(false, true)),
    /** Everything in memory but the insides of blocks, which are computed twice. */
    RECOMPUTE("recomputing activations", false, new Economy(true, true)),
    /** Both. */
    SPILL_AND_RECOMPUTE("states and gradients on disk, recomputing activations", true, new Economy(true, true));

    private final String text;
    private final boolean spills;
    private final Economy economy;

    Manner(String text, boolean spills, Economy economy) {
        this.text = text;
        this.spills = spills;
        this.economy = economy;
    }

    /** For people and for {@link #parse}. */
    public String text() {
        return text;
    }

    /** Whether states and gradients wait in a temporary file. */
    public boolean spills() {
        return spills;
    }

    /** What the engine is told. */
    public Economy economy() {
        return economy;
    }

    /** The manner of this name. */
    public static Optional<Manner> parse(String text) {
        return Stream.of(values()).filter(manner -> manner.text.equals(text)).findFirst();
    }
}
