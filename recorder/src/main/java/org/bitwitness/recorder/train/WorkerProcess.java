package org.bitwitness.recorder.train;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** A worker that was started: a process, or a thread of this one. */
public interface WorkerProcess {
    /** Process id; absent for a worker inside this process. */
    OptionalLong pid();

    /** How it ended, in words, once it has; waits at most {@code wait}. */
    Optional<String> ending(Duration wait);

    /** Ends it at once. */
    void kill();
}
