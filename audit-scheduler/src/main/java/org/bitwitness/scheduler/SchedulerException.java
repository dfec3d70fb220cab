package org.bitwitness.scheduler;

/** An audit cannot go on because of the world outside: the message says what was expected, found, and what to do. */
public final class SchedulerException extends Exception {
    private static final long serialVersionUID = 1L;

    public SchedulerException(String message) {
        super(message);
    }

    public SchedulerException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
