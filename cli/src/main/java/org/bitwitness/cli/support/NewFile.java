package org.bitwitness.cli.support;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bitwitness.protocol.ProtocolException;

/** A file that a command makes: there whole when the command succeeds, absent when it fails. */
public final class NewFile {
    private NewFile() {}

    /** Writes the bytes; leaves closing to the caller. */
    public interface Body {
        void writeTo(OutputStream out) throws IOException, ProtocolException;
    }

    /** @throws java.nio.file.FileAlreadyExistsException if something has that name; it stays as it is */
    public static void write(Path file, Body body) throws IOException, ProtocolException {
        OutputStream created = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean whole = false;
        try {
            try (created) {
                body.writeTo(created);
            }
            whole = true;
        } finally {
            if (!whole) {
                Files.deleteIfExists(file);
            }
        }
    }
}
