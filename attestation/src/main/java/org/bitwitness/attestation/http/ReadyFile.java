package org.bitwitness.attestation.http;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.format.Json;

/**
 * Says to whoever started a server that it listens, and where.
 *
 * <pre>{"url":"http://127.0.0.1:40123","pid":4711}</pre>
 */
public final class ReadyFile {
    private ReadyFile() {}

    /** Writes the file so that a reader sees nothing or all of it. */
    public static void write(Path file, URI url) throws AttestationException {
        String text = Json.object()
                        .put("url", url.toString())
                        .put("pid", ProcessHandle.current().pid())
                        .build()
                        .toText()
                + "\n";
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.writeString(temporary, text);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot write " + file + ": " + e, e);
        }
    }
}
