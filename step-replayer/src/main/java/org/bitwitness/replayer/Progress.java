package org.bitwitness.replayer;

import org.bitwitness.protocol.StepIndex;

/** Counts the parts of one replay for its listener. */
final class Progress {
    private final ProgressListener listener;
    private final long total;
    private long done;

    Progress(ProgressListener listener, long total) {
        this.listener = listener;
        this.total = total;
    }

    /** The next part begins. */
    void now(StepIndex step, String part) {
        listener.progress(done, total, "step " + step + ", " + part);
        done++;
    }
}
