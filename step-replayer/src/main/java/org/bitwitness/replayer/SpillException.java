package org.bitwitness.replayer;

/** The temporary file does not hold what was written to it, or cannot be written: this machine decides nothing. */
final class SpillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SpillException(String message) {
        super(message);
    }

    SpillException(String message, Throwable cause) {
        super(message, cause);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
