package org.bitwitness.kernels;

/** The backend asked for cannot run here. Nothing else is ever used in its place. */
public final class BackendAbsentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BackendAbsentException(BackendId id, String reason) {
        super("backend " + id + " is not available: " + reason);
    }
}
