package org.bitwitness.protocol.record;

import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/** A file of a recording, as a commitment lists it. */
public record FileEntry(RecordingPath path, long bytes, Sha256 sha256) {
    private static final int MAX_PATH_BYTES = 255;

    public FileEntry {
        if (bytes < 0) {
            throw new IllegalArgumentException("%s: a size of %d bytes".formatted(path, bytes));
        }
    }

    byte[] toBytes() {
        return CanonicalEncoder.of("file")
                .text(path.text())
                .u64(bytes)
                .digest(sha256)
                .toBytes();
    }

    static FileEntry decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "file");
        String path = in.text("path", MAX_PATH_BYTES);
        long bytes = in.u64("bytes");
        Sha256 sha256 = in.digest("sha256");
        return in.build(() -> new FileEntry(new RecordingPath(path), bytes, sha256));
    }
}
