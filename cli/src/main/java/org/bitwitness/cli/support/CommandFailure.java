package org.bitwitness.cli.support;

import java.util.function.Supplier;
import org.bitwitness.attestation.AttestationException;

/** A failure whose message is ready for a person and whose exit code is decided. */
public final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    public CommandFailure(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public CommandFailure(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** Wrong usage or a wrong environment: exit 1. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** What a person typed, or why it cannot be used: exit 1. */
    public static <T> T typed(Supplier<T> parse) throws CommandFailure {
        try {
            return parse.get();
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    /** Reads something that is not under verification. */
    @FunctionalInterface
    public interface Reading<T> {
        T read() throws AttestationException;
    }

    /**
     * What the person brings along, such as a key or a trust folder: where it cannot be used nothing was judged, exit 1,
     * whatever is wrong with its bytes.
     */
    public static <T> T own(Reading<T> reading) throws CommandFailure {
        try {
            return reading.read();
        } catch (AttestationException e) {
            throw new CommandFailure(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    /** What was to be verified is missing, malformed or unequal: exit 2. */
    public static CommandFailure refused(String message) {
        return new CommandFailure(ExitCode.REFUSED, message);
    }

    /** No result: exit 3. */
    public static CommandFailure inconclusive(String message) {
        return new CommandFailure(ExitCode.INCONCLUSIVE, message);
    }

    public ExitCode exitCode() {
        return exitCode;
    }

    /** The message, which a failure of ours always has. */
    public String text() {
        String message = getMessage();
        return message == null ? toString() : message;
    }
}
