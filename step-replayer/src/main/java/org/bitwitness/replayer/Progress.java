package org.bitwitness.replayer;

import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.StepIndex;

/** Counts the parts of one replay for its listener, which hears one thread at a time. */
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
    synchronized void now(StepIndex step, String part) {
        now = "step " + step + ", " + part;
        listener.progress(done, total, now);
        done++;
    }

    /** Says every operator of the part that began last, before {@code sink} hears it; from any thread. */
    synchronized TraceSink operators(TraceSink sink) {
        String part = now;
        return event -> {
            said(part + ", " + event.entry().name());
            sink.operator(event);
        };
    }

    private synchronized void said(String what) {
        listener.progress(done - 1, total, what);
    }
}
