package org.bitwitness.cli.support;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.nio.charset.Charset;

/**
 * The JVM writes {@code WARNING: Using incubator modules} to descriptor 2 before any code of ours runs. For commands
 * that compute, the launcher gives descriptor 2 to a filter for exactly that line, and the real standard error as the
 * descriptor that {@code bitwitness.stderr} names, so that our own words pass through nothing.
 */
public final class StandardError {
    private static final String DESCRIPTOR = "bitwitness.stderr";

    private StandardError() {}

    /** Points {@link System#err} at the launcher's descriptor, if it gave one. */
    public static void takeFromLauncher() {
        String descriptor = System.getProperty(DESCRIPTOR, "");
        if (!descriptor.isEmpty()) {
            System.setErr(new PrintStream(new FileOutputStream(open(Integer.parseInt(descriptor))), true, encoding()));
        }
    }

    private static FileDescriptor open(int number) {
        try {
            Constructor<FileDescriptor> constructor = FileDescriptor.class.getDeclaredConstructor(int.class);
            constructor.setAccessible(true);
            return constructor.newInstance(number);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // The filtered descriptor still shows every message, only later.
            return FileDescriptor.err;
        }
    }

    private static Charset encoding() {
        return Charset.forName(System.getProperty("stderr.encoding", "UTF-8"));
    }
}
