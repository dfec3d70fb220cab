package org.bitwitness.datasets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.ChunkHasher;

/** Reads the ids of one shard by position. The whole shard is checked against its root before the first id is given. */
final class ShardReader implements AutoCloseable {
    private final ShardEntry entry;
    private final ShardHeader header;
    private final FileChannel channel;

    private ShardReader(ShardEntry entry, ShardHeader header, FileChannel channel) {
        this.entry = entry;
        this.header = header;
        this.channel = channel;
    }

    static ShardReader open(Path folder, ShardEntry entry, int vocab) throws DatasetException, IOException {
        Path file = folder.resolve(entry.tokensFile());
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.bytes("%s is missing, or is not a plain file", entry.tokensFile());
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            ByteBuffer first = ByteBuffer.allocate(ShardHeader.BYTES);
            readFully(channel, first, 0);
            ShardHeader header = ShardHeader.read(first.flip(), channel.size(), entry.tokensFile());
            if (header.vocab() != vocab || header.tokenCount() != entry.tokens()) {
                throw DatasetException.bytes(
                        "%s should have %d ids of a vocabulary of %d, says %d of %d",
                        entry.tokensFile(), entry.tokens(), vocab, header.tokenCount(), header.vocab());
            }
            ShardReader reader = new ShardReader(entry, header, channel);
            reader.requireRoot();
            return reader;
        } catch (DatasetException | IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Ids from {@code first} on. */
    int[] read(long first, int count) throws DatasetException, IOException {
        if (first < 0 || count < 1 || first > entry.tokens() - count) {
            throw new IllegalArgumentException(
                    "%s has %d ids, asked for %d from %d".formatted(entry.name(), entry.tokens(), count, first));
        }
        int width = header.width().bytes();
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(count, width)).order(ByteOrder.LITTLE_ENDIAN);
        readFully(channel, bytes, ShardHeader.BYTES + first * width);
        bytes.flip();
        int[] ids = new int[count];
        for (int i = 0; i < count; i++) {
            ids[i] = switch (header.width()) {
                case U16 -> bytes.getShort() & 0xFFFF;
                case U32 -> bytes.getInt();
            };
            if (ids[i] < 0 || ids[i] >= header.vocab()) {
                throw DatasetException.bytes(
                        "%s: id %d is %s, the vocabulary has %d",
                        entry.tokensFile(), first + i, Integer.toUnsignedString(ids[i]), header.vocab());
            }
        }
        return ids;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void requireRoot() throws IOException, DatasetException {
        ChunkHasher tree = new ChunkHasher();
        ByteBuffer chunk = ByteBuffer.allocate(TensorDigests.CHUNK_BYTES);
        for (long at = ShardHeader.BYTES; at < header.fileBytes(); at += TensorDigests.CHUNK_BYTES) {
            chunk.clear().limit((int) Math.min(TensorDigests.CHUNK_BYTES, header.fileBytes() - at));
            readFully(channel, chunk, at);
            tree.add(chunk.flip());
        }
        Sha256 found = tree.root();
        if (!found.equals(entry.tokenRoot())) {
            throw DatasetException.bytes(
                    "%s should have token root %s, has %s: fetch it again, or audit only steps that do not read it",
                    entry.tokensFile(), entry.tokenRoot(), found);
        }
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long at) throws IOException {
        long position = at;
        while (into.hasRemaining()) {
            int n = channel.read(into, position);
            if (n < 0) {
                return;
            }
            position += n;
        }
    }
}
