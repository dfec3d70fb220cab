package org.bitwitness.replayer;

import org.bitwitness.protocol.ProtocolException;

/**
 * A replay cannot even start: not a recording, a unit that the run does not have, a backend that this machine lacks. No
 * verdict follows from it. The message says what was expected, what was found and the next step.
 */
public final class ReplayException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean blamesTheBytes;

    public ReplayException(String message) {
        super(message);
        this.blamesTheBytes = false;
    }

    public ReplayException(String message, Throwable cause) {
        super(message, cause);
        this.blamesTheBytes = cause instanceof ProtocolException e && e.blamesTheBytes();
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** True when the recording is at fault (exit code 2), false when request or machine is (exit code 1). */
    public boolean blamesTheBytes() {
        return blamesTheBytes;
    }
}
