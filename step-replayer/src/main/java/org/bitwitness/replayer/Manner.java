package org.bitwitness.replayer;

import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Economy;

/** How a replay holds what it computes with, from the one that needs most to the one that needs least. No bit depends on it. */
public enum Manner {
    /** Everything in memory, and as many workers of a step computed at the same time as there are threads. */
    SIDE_BY_SIDE("in memory, workers side by side", Held.IN_MEMORY, false),
    /** Everything, and every gradient of a step, in memory. */
    IN_MEMORY("in memory", Held.IN_MEMORY, false),
    /** States and workers' gradients in a temporary file; in memory the parameters, one gradient, all activations. */
    SPILL("states and gradients on disk", Held.ON_DISK, false),
    /** Everything in memory but the insides of blocks, which are computed twice. */
    RECOMPUTE("recomputing activations", Held.IN_MEMORY, true),
    /** Both. */
    SPILL_AND_RECOMPUTE("states and gradients on disk, recomputing activations", Held.ON_DISK, true),
    /** As that, and in memory of the parameters and of the gradient only what an operator needs. */
    PAGE("everything on disk, block after block, recomputing activations", Held.IN_PAGES, true);

    private enum Held {
        IN_MEMORY,
        ON_DISK,
        IN_PAGES
    }

    private final String text;
    private final Held held;
    private final boolean recomputes;

    Manner(String text, Held held, boolean recomputes) {
        this.text = text;
        this.held = held;
        this.recomputes = recomputes;
    }

    /** For people and for {@link #parse}. */
    public String text() {
        return text;
    }

    /** Whether states and gradients wait in a temporary file. */
    public boolean spills() {
        return held != Held.IN_MEMORY;
    }

    /** Whether the state that a gradient is of, and the gradient, wait there too. */
    public boolean pages() {
        return held == Held.IN_PAGES;
    }

    /** How many workers of a step are computed at the same time. */
    int workersAtATime(BackendId backend, int threads, int workers) {
        boolean onProcessor = backend == BackendId.VECTOR || backend == BackendId.REFERENCE;
        return this == SIDE_BY_SIDE && onProcessor ? Math.min(threads, workers) : 1;
    }

    /** What the engine is told. */
    public Economy economy() {
        return new Economy(recomputes, spills() || recomputes, pages());
    }

    /** The manner of this name. */
    public static Optional<Manner> parse(String text) {
        return Stream.of(values()).filter(manner -> manner.text.equals(text)).findFirst();
    }
}
