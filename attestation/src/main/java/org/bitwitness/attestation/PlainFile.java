package org.bitwitness.attestation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Small files whole: nothing that would wait for ever, as a named pipe does, or never end, as a device. */
public final class PlainFile {
    private PlainFile() {}

    /**
     * All bytes of a file.
     *
     * @param links {@link LinkOption#NOFOLLOW_LINKS} refuses a symbolic link, too
     * @throws AttestationException malformed: no plain file, or one with over {@code maxBytes}
     * @throws IOException if it is not there or cannot be read
     */
    public static byte[] read(Path file, int maxBytes, LinkOption... links) throws AttestationException, IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(file.toString());
        }
        if (!Files.isRegularFile(file, links)) {
            throw AttestationException.malformed(file + " should be a plain file, is something else");
        }
        try (InputStream in = Files.newInputStream(file, links)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw AttestationException.malformed(
                        "%s should have at most %d bytes, has %d".formatted(file, maxBytes, Files.size(file)));
            }
            return bytes;
        }
    }
}
