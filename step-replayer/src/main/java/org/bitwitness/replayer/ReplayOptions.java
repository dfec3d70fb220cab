package org.bitwitness.replayer;

import org.bitwitness.kernels.BackendId;

/**
 * How to replay.
 *
 * @param backend who computes
 * @param threads threads of the backend, at least 1; no bit depends on it
 * @param salt who replays for which challenge
 */
public record ReplayOptions(BackendId backend, int threads, ReplaySalt salt) {
    public ReplayOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("need at least 1 thread, got " + threads);
        }
    }

    /** The backend that repeats a disputed piece: the reference, or the vector backend where that was the first. */
    BackendId confirming() {
        return backend == BackendId.REFERENCE ? BackendId.VECTOR : BackendId.REFERENCE;
    }
}
