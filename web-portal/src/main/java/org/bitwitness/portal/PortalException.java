package org.bitwitness.portal;

/** The outside world kept the portal from working: a port in use, an unreadable log. */
public final class PortalException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message expected, found and what to do */
    public PortalException(String message, Throwable cause) {
        super(message, cause);
    }

    /** @param message expected, found and what to do */
    public PortalException(String message) {
        super(message);
    }
}
