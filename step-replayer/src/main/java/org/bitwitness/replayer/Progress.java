package org.bitwitness.replayer;

import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.StepIndex;

/** Counts the parts of one replay for its listener. */
final class Progress {
    private final ProgressListener listener;
    private final long total;
    private long done;
    private String now = "";

    Progress(ProgressListener listener, long total) {
        this.listener = listener;
        this.total = total;
    }

    /** The next part begins. */
    void now(StepIndex step, String part) {
        now = "step " + step + ", " + part;
        listener.progress(done, total, now);
        done++;
    }

    /** Says every operator of the part that began last, before {@code sink} hears it. */
    TraceSink operators(TraceSink sink) {
        return event -> {
            listener.progress(done - 1, total, now + ", " + event.entry().name());
            sink.operator(event);
        };
    }
}
