package org.bitwitness.replayer.dispute;

import java.util.Objects;

/**
 * A message that counts for nothing: malformed, out of turn, over a limit, about something else. Nobody loses by it, since
 * nothing says who made it so; the clock of whoever must answer runs on.
 */
public final class DisputeException extends Exception {
    private static final long serialVersionUID = 1L;

    public DisputeException(String message) {
        super(message);
    }

    public DisputeException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return Objects.requireNonNullElse(super.getMessage(), "refused");
    }
}
