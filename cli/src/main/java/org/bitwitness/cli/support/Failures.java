package org.bitwitness.cli.support;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.dispute.DisputeException;

/** Turns whatever a command threw into one message for a person and an exit code. */
public final class Failures {
    /** One clear message and what the process exits with. */
    public record Explained(ExitCode exitCode, String message) {}

    private Failures() {}

    public static Explained explain(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        return switch (cause) {
            case CommandFailure failure -> new Explained(failure.exitCode(), failure.text());
            case AttestationException attestation ->
                new Explained(ExitCode.of(attestation.kind()), attestation.getMessage());
            case ProtocolException protocol ->
                new Explained(ExitCode.ofRefusal(protocol.blamesTheBytes()), protocol.getMessage());
            case ReplayException replay ->
                new Explained(ExitCode.ofRefusal(replay.blamesTheBytes()), replay.getMessage());
            case GpuException gpu -> new Explained(ExitCode.USAGE, gpu.failure().message() + ". Nothing was judged");
            case BackendAbsentException absent ->
                new Explained(ExitCode.USAGE, text(absent) + ". Nothing was run in its place");
            case DisputeException dispute -> new Explained(ExitCode.REFUSED, dispute.getMessage());
            case IOException io -> new Explained(ExitCode.USAGE, ioMessage(io));
            case LinkageError linkage -> new Explained(ExitCode.USAGE, ClassPathTrouble.message(linkage));
            case java.lang.reflect.InaccessibleObjectException e ->
                new Explained(ExitCode.USAGE, ClassPathTrouble.missingOpens(text(e)));
            case OutOfMemoryError e ->
                new Explained(
                        ExitCode.USAGE,
                        "out of memory (" + text(e) + "): give the JVM more with BITWITNESS_JAVA_OPTS=-Xmx8g");
            default -> moduleMessage(cause).orElseGet(() -> bug(cause));
        };
    }

    /** Wrappers say nothing of their own. */
    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null
                && (cause instanceof UncheckedIOException
                        || cause instanceof ExecutionException
                        || cause instanceof java.lang.reflect.InvocationTargetException
                        || cause instanceof ExceptionInInitializerError)) {
            cause = Objects.requireNonNull(cause.getCause());
        }
        return cause;
    }

    private static String ioMessage(IOException io) {
        String text = text(io);
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left on device") || lower.contains("disk quota exceeded")) {
            return "no space left on the disk" + where(io) + ": free some, or choose another folder";
        }
        if (lower.contains("read-only file system")) {
            return "the file system is read-only" + where(io) + ": choose another folder";
        }
        return switch (io) {
            case NoSuchFileException e -> "no such file or folder: " + e.getFile();
            case FileNotFoundException e -> "cannot open: " + text;
            case AccessDeniedException e -> "not allowed to use " + e.getFile() + ": check its permissions";
            case FileAlreadyExistsException e -> "exists already: " + e.getFile() + ": choose another name";
            case NotDirectoryException e -> "not a folder: " + e.getFile();
            case BindException e -> "the port is in use (" + text + "): stop what holds it, or choose another --port";
            case ConnectException e -> "nobody answers there (" + text + "): check the address and that it runs";
            default -> "input or output failed: " + text;
        };
    }

    private static String where(IOException io) {
        return io instanceof FileSystemException fs && fs.getFile() != null ? " that holds " + fs.getFile() : "";
    }

    /** The other checked exceptions of our modules carry a message for a person too; they mean the outside world. */
    private static Optional<Explained> moduleMessage(Throwable cause) {
        boolean ours = cause.getClass().getName().startsWith("org.bitwitness.");
        return ours && !(cause instanceof RuntimeException) && !(cause instanceof Error)
                ? Optional.of(new Explained(ExitCode.USAGE, text(cause)))
                : Optional.empty();
    }

    private static Explained bug(Throwable cause) {
        return new Explained(
                ExitCode.USAGE,
                "unexpected " + cause.getClass().getSimpleName() + ": " + text(cause)
                        + ". Nothing was judged. Run again with --verbose for the details of this defect");
    }

    private static String text(Throwable cause) {
        return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getName());
    }
}
