package org.bitwitness.attestation;

import org.bitwitness.protocol.ProtocolException;

/**
 * A signature, proof, key file, log or server from outside cannot be accepted. The message says what was expected, what
 * was found and the next step; {@link #kind()} says which exit code that means.
 */
public final class AttestationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why it cannot be accepted. */
    public enum Kind {
        /** The bytes do not follow their format. Exit code 2. */
        MALFORMED,
        /** Well-formed bytes whose signature, proof or policy does not hold. Exit code 2. */
        REFUSED,
        /** Something that a decision needs is not there, so nothing can be decided. Exit code 3. */
        INCONCLUSIVE,
        /** This machine, a disk, a network or another process. Exit code 1. */
        ENVIRONMENT
    }

    private final Kind kind;
    private final String message;

    public AttestationException(Kind kind, String message) {
        super(message);
        this.kind = kind;
        this.message = message;
    }

    public AttestationException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.message = message;
    }

    public static AttestationException malformed(String message) {
        return new AttestationException(Kind.MALFORMED, message);
    }

    public static AttestationException refused(String message) {
        return new AttestationException(Kind.REFUSED, message);
    }

    public static AttestationException inconclusive(String message) {
        return new AttestationException(Kind.INCONCLUSIVE, message);
    }

    public static AttestationException environment(String message) {
        return new AttestationException(Kind.ENVIRONMENT, message);
    }

    /** What a reader of {@code protocol} refused, with its message. */
    public static AttestationException of(ProtocolException e) {
        Kind kind = switch (e.kind()) {
            case MALFORMED, MISSING, OVER_LIMIT -> Kind.MALFORMED;
            case UNEQUAL -> Kind.REFUSED;
            case ENVIRONMENT -> Kind.ENVIRONMENT;
        };
        return new AttestationException(kind, String.valueOf(e.getMessage()), e);
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return message;
    }

    public Kind kind() {
        return kind;
    }

    /** The same problem, told with the place it was found in: {@code policy.txt line 3: …}. */
    public AttestationException in(String place) {
        return new AttestationException(kind, place + ": " + getMessage(), this);
    }
}
