package org.bitwitness.attestation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files so that a reader sees the old bytes or all of the new ones, also when the disk is full. */
public final class WholeFile {
    private WholeFile() {}

    /** Writes beside the target and renames; what is no plain file, such as {@code /dev/stdout}, is written straight. */
    public static void write(Path target, byte[] bytes) throws IOException {
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            Files.write(target, bytes);
        } else {
            write(target, target.resolveSibling(partialName(target)), bytes);
        }
    }

    /**
     * Writes elsewhere on the same disk and renames.
     *
     * @param temporary gone when this returns or throws
     */
    public static void write(Path target, Path temporary, byte[] bytes) throws IOException {
        try {
            try (FileChannel out = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    out.write(left);
                }
                out.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** A name for the temporary file that two processes do not share. */
    public static String partialName(Path target) {
        return "." + target.getFileName() + ".partial-"
                + ProcessHandle.current().pid();
    }
}
