package org.bitwitness.replayer;

/**
 * What lies on disk is not what was committed, or is not there, so nothing built on it can be judged: the verdict is
 * INCONCLUSIVE with this message as its reason, never an accusation.
 */
final class StoreDamage extends Exception {
    private static final long serialVersionUID = 1L;

    StoreDamage(String message) {
        super(message);
    }

    StoreDamage(String message, Throwable cause) {
        super(message, cause);
    }

    /** The message, which always exists. */
    String reason() {
        String message = getMessage();
        return message == null ? "the store is damaged" : message;
    }
}
