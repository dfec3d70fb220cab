package org.bitwitness.datasets;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.ChunkHasher;

/**
 * Merkle tree over the ids of a shard as the file holds them, cut into chunks of 16,384 bytes, the last one short, as
 * tensors are. One chunk can be checked without the others.
 */
final class IdTree {
    private final TokenWidth width;
    private final ChunkHasher tree = new ChunkHasher();
    private final ByteBuffer chunk =
            ByteBuffer.allocate(TensorDigests.CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** In the width of the vocabulary. */
    IdTree(int vocab) {
        width = TokenWidth.ofVocab(vocab);
    }

    void add(int[] ids) {
        for (int id : ids) {
            switch (width) {
                case U16 -> chunk.putShort((short) id);
                case U32 -> chunk.putInt(id);
            }
            if (!chunk.hasRemaining()) {
                tree.add(chunk.flip());
                chunk.clear();
            }
        }
    }

    Sha256 root() {
        if (chunk.position() > 0) {
            tree.add(chunk.flip());
            chunk.clear();
        }
        return tree.root();
    }
}
