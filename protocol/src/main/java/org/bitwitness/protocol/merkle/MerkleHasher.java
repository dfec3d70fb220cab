package org.bitwitness.protocol.merkle;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Root of a Merkle tree whose leaves arrive one by one. Keeps one hash per set bit of the count: O(log n) memory.
 *
 * <p>Not safe for use by several threads.
 */
public final class MerkleHasher {
    private static final int MAX_LEVELS = 63;

    /** {@code subtree[h]} is the root of a finished subtree of 2^h leaves when bit h of {@link #count} is set. */
    private final Sha256[] subtree = new Sha256[MAX_LEVELS];

    /** Kept, because making a digest takes as long as hashing a node. */
    private final MessageDigest digest = Hashing.newDigest();

    private final ByteBuffer node = ByteBuffer.allocate(2 * Sha256.BYTES);
    private long count;

    public MerkleHasher() {
        Arrays.fill(subtree, MerkleTree.EMPTY_ROOT);
    }

    /**
     * A hasher that goes on where another stood.
     *
     * @param peaks what {@link #peaks} gave there
     * @throws IllegalArgumentException if there are not as many as {@code count} calls for
     */
    public static MerkleHasher resume(long count, List<Sha256> peaks) {
        if (count < 0 || Long.bitCount(count) != peaks.size()) {
            throw new IllegalArgumentException("%d leaves have %d peaks, got %d"
                    .formatted(count, count < 0 ? 0 : Long.bitCount(count), peaks.size()));
        }
        MerkleHasher hasher = new MerkleHasher();
        hasher.count = count;
        int next = 0;
        for (int level = 0; level < MAX_LEVELS; level++) {
            if (((count >>> level) & 1) == 1) {
                hasher.subtree[level] = peaks.get(next++);
            }
        }
        return hasher;
    }

    /** Roots of the finished subtrees, the smallest first: with {@link #count} all that the hasher knows. */
    public List<Sha256> peaks() {
        List<Sha256> peaks = new ArrayList<>();
        for (int level = 0; level < MAX_LEVELS; level++) {
            if (((count >>> level) & 1) == 1) {
                peaks.add(subtree[level]);
            }
        }
        return peaks;
    }

    /** Adds the next leaf, already hashed by {@link MerkleTree#leafHash}. */
    public MerkleHasher add(Sha256 leafHash) {
        Sha256 node = leafHash;
        int level = 0;
        while (((count >>> level) & 1) == 1) {
            node = join(subtree[level], node);
            level++;
        }
        subtree[level] = node;
        count++;
        return this;
    }

    /** {@link MerkleTree#nodeHash}. */
    private Sha256 join(Sha256 left, Sha256 right) {
        node.clear();
        left.write(node);
        right.write(node);
        digest.update(MerkleTree.NODE);
        digest.update(node.array());
        return Hashing.finish(digest);
    }

    /** Hashes and adds the next leaf. */
    public MerkleHasher addLeaf(byte[] leaf) {
        return add(MerkleTree.leafHash(leaf));
    }

    public long count() {
        return count;
    }

    /** Root over the leaves so far; more may be added after. */
    public Sha256 root() {
        if (count == 0) {
            return MerkleTree.EMPTY_ROOT;
        }
        int level = Long.numberOfTrailingZeros(count);
        Sha256 node = subtree[level];
        for (level++; level < MAX_LEVELS; level++) {
            if (((count >>> level) & 1) == 1) {
                node = MerkleTree.nodeHash(subtree[level], node);
            }
        }
        return node;
    }
}
