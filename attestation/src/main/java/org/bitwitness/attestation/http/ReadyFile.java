package org.bitwitness.attestation.http;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.WholeFile;
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
        try {
            WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot write " + file + ": " + e, e);
        }
    }
}
