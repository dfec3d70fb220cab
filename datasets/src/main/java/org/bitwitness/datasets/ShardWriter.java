package org.bitwitness.datasets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.ChunkHasher;

/** Writes one shard file and computes its token root on the way. Memory: one chunk. */
final class ShardWriter implements AutoCloseable {
    private final FileChannel channel;
    private final TokenWidth width;
    private final int vocab;
    private final ChunkHasher tree = new ChunkHasher();
    private final ByteBuffer chunk =
            ByteBuffer.allocate(TensorDigests.CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long tokenCount;

    ShardWriter(Path file, int vocab) throws IOException {
        this.vocab = vocab;
        this.width = TokenWidth.ofVocab(vocab);
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.position(ShardHeader.BYTES);
    }

    /** @throws IllegalArgumentException if an id is not below the vocabulary; nothing wraps */
    void write(int[] ids) throws IOException {
        for (int id : ids) {
            if (id < 0 || id >= vocab) {
                throw new IllegalArgumentException("ids lie in [0, %d), got %d".formatted(vocab, id));
            }
            switch (width) {
                case U16 -> chunk.putShort((short) id);
                case U32 -> chunk.putInt(id);
            }
            if (!chunk.hasRemaining()) {
                flush();
            }
        }
        tokenCount += ids.length;
    }

    long tokenCount() {
        return tokenCount;
    }

    /** Writes the rest and the header, forces the file to disk. */
    Sha256 finish() throws IOException {
        if (chunk.position() > 0) {
            flush();
        }
        channel.write(new ShardHeader(width, tokenCount, vocab).toBytes(), 0);
        channel.force(true);
        return tree.root();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void flush() throws IOException {
        chunk.flip();
        tree.add(chunk.duplicate());
        while (chunk.hasRemaining()) {
            channel.write(chunk);
        }
        chunk.clear();
    }
}
