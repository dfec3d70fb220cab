package org.bitwitness.protocol.merkle;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * The tree hash of RFC 9162 over SHA-256: a leaf is hashed after a byte 0x00, a node after a byte 0x01, the empty tree
 * is the hash of nothing. A node can therefore never be shown as a leaf.
 */
public final class MerkleTree {
    public static final Sha256 EMPTY_ROOT = Hashing.sha256();

    private static final byte LEAF = 0x00;
    static final byte NODE = 0x01;

    private MerkleTree() {}

    public static Sha256 leafHash(byte[] leaf) {
        MessageDigest digest = Hashing.newDigest();
        digest.update(LEAF);
        digest.update(leaf);
        return Hashing.finish(digest);
    }

    public static Sha256 nodeHash(Sha256 left, Sha256 right) {
        ByteBuffer node = ByteBuffer.allocate(1 + 2 * Sha256.BYTES).put(NODE);
        left.write(node);
        right.write(node);
        return Hashing.sha256(node.array());
    }

    /** Root over leaf hashes. */
    public static Sha256 root(List<Sha256> leafHashes) {
        MerkleHasher hasher = new MerkleHasher();
        leafHashes.forEach(hasher::add);
        return hasher.root();
    }

    /** Root over unhashed leaves. */
    public static Sha256 rootOf(List<byte[]> leaves) {
        MerkleHasher hasher = new MerkleHasher();
        leaves.forEach(hasher::addLeaf);
        return hasher.root();
    }

    /** Proof that leaf {@code index} is in the tree over all of {@code leafHashes}. */
    public static InclusionProof inclusionProof(List<Sha256> leafHashes, long index) {
        int i = Math.toIntExact(index);
        if (i < 0 || i >= leafHashes.size()) {
            throw new IllegalArgumentException(
                    "leaf %d is not in a tree of %d leaves".formatted(index, leafHashes.size()));
        }
        List<Sha256> path = new ArrayList<>();
        collectPath(leafHashes, i, path);
        return new InclusionProof(index, leafHashes.size(), path);
    }

    /** Proof that the tree over the first {@code oldSize} leaves is a prefix of the tree over all of them. */
    public static ConsistencyProof consistencyProof(List<Sha256> leafHashes, long oldSize) {
        int m = Math.toIntExact(oldSize);
        if (m < 0 || m > leafHashes.size()) {
            throw new IllegalArgumentException(
                    "a tree of %d leaves has no prefix of %d".formatted(leafHashes.size(), oldSize));
        }
        List<Sha256> path = new ArrayList<>();
        if (m > 0 && m < leafHashes.size()) {
            collectSubproof(leafHashes, m, true, path);
        }
        return new ConsistencyProof(oldSize, leafHashes.size(), path);
    }

    private static void collectPath(List<Sha256> leaves, int index, List<Sha256> path) {
        if (leaves.size() == 1) {
            return;
        }
        int split = split(leaves.size());
        if (index < split) {
            collectPath(leaves.subList(0, split), index, path);
            path.add(root(leaves.subList(split, leaves.size())));
        } else {
            collectPath(leaves.subList(split, leaves.size()), index - split, path);
            path.add(root(leaves.subList(0, split)));
        }
    }

    /** SUBPROOF of RFC 9162, section 2.1.4.1; {@code known} while the old tree is exactly this subtree's prefix. */
    private static void collectSubproof(List<Sha256> leaves, int oldSize, boolean known, List<Sha256> path) {
        if (oldSize == leaves.size()) {
            if (!known) {
                path.add(root(leaves));
            }
            return;
        }
        int split = split(leaves.size());
        if (oldSize <= split) {
            collectSubproof(leaves.subList(0, split), oldSize, known, path);
            path.add(root(leaves.subList(split, leaves.size())));
        } else {
            collectSubproof(leaves.subList(split, leaves.size()), oldSize - split, false, path);
            path.add(root(leaves.subList(0, split)));
        }
    }

    /** Largest power of two that is smaller than {@code size}, which is at least 2. */
    private static int split(int size) {
        return Integer.highestOneBit(size - 1);
    }
}
