package org.bitwitness.datasets;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleHasher;

/**
 * Merkle tree over the ids of a shard as the file holds them, cut into chunks of 16,384 bytes, the last one short. One
 * chunk can be checked without the others.
 */
final class ChunkTree {
    static final int CHUNK_BYTES = 16_384;

    private final MessageDigest digest = Hashing.newDigest();
    private final MerkleHasher tree = new MerkleHasher();

    /** Adds what remains of {@code chunk}, whose position does not move. */
    void add(ByteBuffer chunk) {
        digest.update((byte) 0);
        digest.update(chunk.duplicate());
        tree.add(Hashing.finish(digest));
    }

    Sha256 root() {
        return tree.root();
    }

    /** Ids that come one document after the other. */
    static final class Ids {
        private final TokenWidth width;
        private final ChunkTree tree = new ChunkTree();
        private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);

        /** In the width of the vocabulary. */
        Ids(int vocab) {
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
}
