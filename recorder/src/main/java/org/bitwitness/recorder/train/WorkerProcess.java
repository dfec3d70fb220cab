package org.bitwitness.recorder.train;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** A worker that was started: a process, a thread of this one, or a process on another host. */
public interface WorkerProcess {
    /** Process id; absent for a worker inside this process or on another host. */
    OptionalLong pid();

    /** Where it runs, for a person, to stand after its number. */
    default String where() {
        return pid().isPresent() ? " (process %d)".formatted(pid().getAsLong()) : "";
    }

    /** How it ended, in words, once it has; waits at most {@code wait}. */
    Optional<String> ending(Duration wait);

    /** Ends it at once, where that can be done from here. */
    void kill();
}
