package org.bitwitness.protocol;

/**
 * What came from outside (a file, a folder, a text) cannot be used. The message says what was expected, what was found
 * and, where there is one, the next step; {@link #kind()} says which exit code that means.
 */
@SuppressWarnings("AnnotateFormatMethod") // its annotation would be the one use of a library
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why it cannot be used. */
    public enum Kind {
        /** The bytes are there but are not what the format says. */
        MALFORMED,
        /** A file or field that must be there is not. */
        MISSING,
        /** A size, count or depth is over a stated limit; nothing was allocated for it. */
        OVER_LIMIT,
        /** The bytes are well formed but differ from what something else commits to. */
        UNEQUAL,
        /** The machine, not the bytes: no permission, no space, an I/O error. */
        ENVIRONMENT
    }

    private final Kind kind;
    private final String message;

    public ProtocolException(Kind kind, String message) {
        super(message);
        this.kind = kind;
        this.message = message;
    }

    public ProtocolException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.message = message;
    }

    public static ProtocolException malformed(String format, Object... arguments) {
        return new ProtocolException(Kind.MALFORMED, format.formatted(arguments));
    }

    public static ProtocolException missing(String format, Object... arguments) {
        return new ProtocolException(Kind.MISSING, format.formatted(arguments));
    }

    public static ProtocolException overLimit(String format, Object... arguments) {
        return new ProtocolException(Kind.OVER_LIMIT, format.formatted(arguments));
    }

    public static ProtocolException unequal(String format, Object... arguments) {
        return new ProtocolException(Kind.UNEQUAL, format.formatted(arguments));
    }

    /** Never null, unlike in other exceptions. */
    @Override
    public String getMessage() {
        return message;
    }

    public Kind kind() {
        return kind;
    }

    /** True when the bytes under verification are at fault (exit code 2), false when the machine is (exit code 1). */
    public boolean blamesTheBytes() {
        return switch (kind) {
            case MALFORMED, MISSING, OVER_LIMIT, UNEQUAL -> true;
            case ENVIRONMENT -> false;
        };
    }

    /** The same problem, told with the place it was found in: {@code steps/000000000000.arrow: …}. */
    public ProtocolException in(String place) {
        return new ProtocolException(kind, place + ": " + getMessage(), this);
    }
}
