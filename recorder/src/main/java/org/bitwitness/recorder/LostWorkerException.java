package org.bitwitness.recorder;

import org.bitwitness.protocol.WorkerId;

/** A worker has ended, hung up or fallen silent. */
public final class LostWorkerException extends RecorderException {
    private static final long serialVersionUID = 1L;

    private final int worker;

    public LostWorkerException(WorkerId worker, String message, Throwable cause) {
        super(message, cause);
        this.worker = worker.value();
    }

    public WorkerId worker() {
        return new WorkerId(worker);
    }
}
