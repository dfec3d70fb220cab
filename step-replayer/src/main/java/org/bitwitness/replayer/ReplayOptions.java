package org.bitwitness.replayer;

import java.util.Optional;
import org.bitwitness.kernels.BackendId;

/**
 * How to replay.
 *
 * @param backend who computes
 * @param threads threads of the backend, at least 1; no bit depends on it
 * @param salt who replays for which challenge
 * @param keep where a replay that may be killed keeps how far it is
 * @param manner how memory is used; no bit depends on it
 */
public record ReplayOptions(BackendId backend, int threads, ReplaySalt salt, Optional<KeepPlace> keep, Manner manner) {
    /** As fast as it goes. */
    public ReplayOptions(BackendId backend, int threads, ReplaySalt salt, Optional<KeepPlace> keep) {
        this(backend, threads, salt, keep, Manner.SIDE_BY_SIDE);
    }

    public ReplayOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("need at least 1 thread, got " + threads);
        }
    }

    /** Keeps nothing: a killed replay begins again. */
    public ReplayOptions(BackendId backend, int threads, ReplaySalt salt) {
        this(backend, threads, salt, Optional.empty());
    }

    /** The backend that repeats a disputed piece: the reference, or the vector backend where that was the first. */
    BackendId confirming() {
        return backend == BackendId.REFERENCE ? BackendId.VECTOR : BackendId.REFERENCE;
    }
}
