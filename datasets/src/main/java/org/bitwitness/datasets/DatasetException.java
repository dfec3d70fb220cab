package org.bitwitness.datasets;

import org.bitwitness.protocol.ProtocolException;

/** A dataset, or what one is to be made of, cannot be used. The message says what was expected and what was found. */
public final class DatasetException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Who is at fault. */
    public enum Kind {
        /** The bytes of a dataset or a document are missing, malformed or unequal to what is committed. */
        BYTES,
        /** The machine or the command: no such folder, no permission, no space. */
        ENVIRONMENT
    }

    private final Kind kind;

    public DatasetException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public DatasetException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    @SuppressWarnings("AnnotateFormatMethod")
    public static DatasetException bytes(String format, Object... arguments) {
        return new DatasetException(Kind.BYTES, format.formatted(arguments));
    }

    @SuppressWarnings("AnnotateFormatMethod")
    public static DatasetException environment(String format, Object... arguments) {
        return new DatasetException(Kind.ENVIRONMENT, format.formatted(arguments));
    }

    /** The same problem as found by the shared readers. */
    public static DatasetException of(ProtocolException e) {
        return new DatasetException(
                e.blamesTheBytes() ? Kind.BYTES : Kind.ENVIRONMENT, String.valueOf(e.getMessage()), e);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    public Kind kind() {
        return kind;
    }

    /** True when the bytes are at fault (exit code 2), false when the machine is (exit code 1). */
    public boolean blamesTheBytes() {
        return switch (kind) {
            case BYTES -> true;
            case ENVIRONMENT -> false;
        };
    }
}
