package org.bitwitness.replayer;

/**
 * A replay cannot even start: not a recording, a unit that the run does not have, a backend that this machine lacks. No
 * verdict follows from it. The message says what was expected, what was found and the next step.
 */
public final class ReplayException extends Exception {
    private static final long serialVersionUID = 1L;

    public ReplayException(String message) {
        super(message);
    }

    public ReplayException(String message, Throwable cause) {
        super(message, cause);
    }
}
