package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.bitwitness.protocol.RecordingPath;

/** Where a recording lies. Nothing that it says is believed: every byte is compared with what is committed. */
public interface RecordingSource extends AutoCloseable {
    boolean exists(RecordingPath path) throws IOException;

    /** Bytes of a file from {@code offset} on. */
    InputStream open(RecordingPath path, long offset) throws IOException;

    String describe();

    @Override
    void close() throws IOException;

    /** A folder of this machine. */
    static RecordingSource folder(Path root) {
        return new RecordingSource() {
            @Override
            public boolean exists(RecordingPath path) {
                return Files.isRegularFile(root.resolve(path.text()), LinkOption.NOFOLLOW_LINKS);
            }

            @Override
            public InputStream open(RecordingPath path, long offset) throws IOException {
                InputStream in = Files.newInputStream(root.resolve(path.text()), LinkOption.NOFOLLOW_LINKS);
                in.skipNBytes(offset);
                return in;
            }

            @Override
            public String describe() {
                return root.toString();
            }

            @Override
            public void close() {
                // Holds nothing open.
            }
        };
    }
}
