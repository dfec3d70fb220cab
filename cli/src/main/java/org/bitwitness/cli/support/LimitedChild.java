package org.bitwitness.cli.support;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.StrictJson;

/**
 * A command of ours in a JVM of its own whose memory is limited: a JVM cannot limit itself after it has started. The child
 * prints one document, which the parent reads; what it says on standard error is passed on as it comes; it ends with this
 * process, however that ends.
 */
public final class LimitedChild {
    /** Set for the child: how many bytes it may take. */
    private static final String WITHIN = "bitwitness.memory.within";

    /** Set for the child: what its parent takes beside it. */
    private static final String PARENT = "bitwitness.memory.parent";

    private static final int MAX_DOCUMENT_BYTES = 64 << 20;
    private static final long MIB = 1L << 20;

    // What a process like this one takes where the system does not say, and what it may grow by while it waits.
    private static final long UNKNOWN_BYTES = 192 * MIB;
    private static final long GROWTH_BYTES = 24 * MIB;

    /**
     * Bytes.
     *
     * @param heap of the child's heap
     * @param child what the child may take altogether
     * @param parent what this process takes beside it
     */
    public record Limits(long heap, long child, long parent) {}

    /** How the child ended, and what it printed. */
    public record Ended(int code, Json.Obj document) {}

    private LimitedChild() {}

    /** What this process takes beside its child. */
    public static long ownBytes() {
        return ResidentMemory.now().orElse(UNKNOWN_BYTES) + GROWTH_BYTES;
    }

    /** In the child: how many bytes it may take. Absent in every other process. */
    public static OptionalLong within() {
        return property(WITHIN);
    }

    /** In the child: what its parent takes. */
    public static long parentBytes() {
        return property(PARENT).orElse(0);
    }

    private static OptionalLong property(String name) {
        Long value = Long.getLong(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /**
     * Runs {@code bitwitness <arguments>}, which must contain {@code --json}, and waits for its end.
     *
     * @throws CommandFailure if it ended without a document: its own message has been passed on
     */
    public static Ended run(List<String> arguments, Limits limits, CommandIo io)
            throws CommandFailure, IOException, InterruptedException {
        List<String> flags = new ArrayList<>(flags(limits.heap()));
        flags.add("-D" + WITHIN + "=" + limits.child());
        flags.add("-D" + PARENT + "=" + limits.parent());
        flags.add("-Dbitwitness.tty=" + System.getProperty("bitwitness.tty", ""));
        ProcessBuilder builder = Relaunch.process(arguments, flags);
        // Each arena of the C library keeps what it once had; the compilers' threads would have one each.
        builder.environment().put("MALLOC_ARENA_MAX", "2");
        builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        Process child = builder.start();
        Thread stop = new Thread(child::destroy, "stop-child");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            Thread talk = Thread.ofVirtual().start(() -> relay(child.getErrorStream(), io));
            byte[] printed = read(child.getInputStream());
            int code = child.waitFor();
            talk.join();
            return new Ended(code, document(printed, code));
        } finally {
            child.destroyForcibly();
            forget(stop);
        }
    }

    /**
     * The serial collector takes nothing beside its heap and packs large arrays without gaps; few compilers and small
     * stacks bound the rest. What is left, classes and code, is what it is.
     */
    static List<String> flags(long heapBytes) {
        return List.of(
                "-XX:+UseSerialGC",
                "-Xms16m",
                "-Xmn16m",
                "-Xmx" + heapBytes,
                "-Xss1m",
                "-XX:CICompilerCount=2",
                "-XX:ReservedCodeCacheSize=64m",
                "-XX:MaxMetaspaceSize=192m",
                "-XX:MaxDirectMemorySize=32m");
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook does its work.
            return;
        }
    }

    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            if (out.size() + n > MAX_DOCUMENT_BYTES) {
                throw new IOException("the child printed more than a result can be");
            }
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }

    private static Json.Obj document(byte[] printed, int code) throws CommandFailure {
        if (printed.length == 0) {
            // What it has signed or logged before stays; its exit code is what it would be without a limit.
            throw new CommandFailure(
                    code == 0 ? ExitCode.USAGE : ExitCode.ofProcess(code),
                    code > 128
                            ? "the process that replayed was ended by signal %d and gave no result"
                                    .formatted(code - 128)
                            : "the process that replayed ended with exit code %d and no result, see above"
                                    .formatted(code));
        }
        try {
            return StrictJson.object(printed, "output of the process that replayed");
        } catch (ProtocolException e) {
            throw new CommandFailure(ExitCode.USAGE, e.getMessage() + "; nothing was judged", e);
        }
    }

    /** Passes characters on as they come, so that a progress bar moves; without the JVM's own warning. */
    private static void relay(InputStream from, CommandIo io) {
        try (Reader in = new InputStreamReader(from, StandardCharsets.UTF_8)) {
            char[] buffer = new char[1024];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                io.passOn(new String(buffer, 0, n));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
