package org.bitwitness.kernels.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;

/**
 * Links JCuda's native library, which happens when its class is initialised, once in a process. JCuda unpacks the library to a
 * name in the temporary folder that everybody knows, and takes whatever already lies there: a file that another user left, or
 * one that another process is still writing. So it is given a folder that is new and ours alone.
 */
final class JCudaLibrary {
    private static final String TEMPORARY = "java.io.tmpdir";

    /** Once somebody has tried: why it cannot be used, or nothing. */
    private static Optional<Optional<String>> tried = Optional.empty();

    private JCudaLibrary() {}

    /** Why the library cannot be linked here; empty when it is. */
    static synchronized Optional<String> problem() {
        if (tried.isEmpty()) {
            tried = Optional.of(link());
        }
        return tried.get();
    }

    private static Optional<String> link() {
        String before = System.getProperty(TEMPORARY);
        try {
            Path folder = Files.createTempDirectory("bitwitness-jcuda");
            try {
                System.setProperty(TEMPORARY, folder.toString());
                JCudaDriver.setExceptionsEnabled(false);
                return Optional.empty();
            } catch (LinkageError e) {
                return Optional.of(reason(e));
            } finally {
                System.setProperty(TEMPORARY, before);
                delete(folder);
            }
        } catch (IOException e) {
            return Optional.of("it cannot be unpacked below " + before + ": " + e);
        }
    }

    /** A library that is mapped stays so when its file is gone. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /**
     * The line that says it. JCuda's message is pages of two stack traces: of its search of the library path, and then of
     * loading what it unpacked.
     */
    static String reason(LinkageError e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        List<String> thrown = String.valueOf(cause.getMessage())
                .lines()
                .filter(line -> line.matches("[a-zA-Z.]+(Error|Exception): .*"))
                .toList();
        return thrown.isEmpty()
                ? cause.toString()
                : thrown.getLast().replaceFirst("^[a-zA-Z.]+: ", "").replaceFirst("^/\\S*/(lib\\S+: )", "$1");
    }
}
