package org.bitwitness.protocol.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.bitwitness.protocol.ProtocolException;

/** A file of this machine, read at any position. */
public final class LocalFile implements StoredFile {
    private final String what;
    private final FileChannel channel;
    private final long size;

    private LocalFile(String what, FileChannel channel, long size) {
        this.what = what;
        this.channel = channel;
        this.size = size;
    }

    /**
     * Opens a file; a symbolic link is refused where {@code options} say so.
     *
     * @param what a name for messages
     */
    public static LocalFile open(String what, Path file, LinkOption... options) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Stream.concat(Stream.of(StandardOpenOption.READ), Stream.of(options))
                        .toArray(OpenOption[]::new));
        return new LocalFile(what, channel, channel.size());
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void read(long position, ByteBuffer into) throws ProtocolException {
        long at = position;
        try {
            while (into.hasRemaining()) {
                int n = channel.read(into, at);
                if (n < 0) {
                    throw ProtocolException.malformed(
                            "%s: ends at %d, %d more bytes are needed", what, at, into.remaining());
                }
                at += n;
            }
        } catch (IOException e) {
            throw new ProtocolException(
                    ProtocolException.Kind.ENVIRONMENT, "cannot read %s: %s".formatted(what, e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing " + what, e);
        }
    }
}
