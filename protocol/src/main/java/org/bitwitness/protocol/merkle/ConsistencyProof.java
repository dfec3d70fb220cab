package org.bitwitness.protocol.merkle;

import java.util.List;
import org.bitwitness.protocol.Sha256;

/**
 * Shows that a tree of {@code newSize} leaves begins with the tree of {@code oldSize} leaves. From size 0, and between
 * equal sizes, the path is empty; every other path has exactly the length that the sizes call for.
 */
public record ConsistencyProof(long oldSize, long newSize, List<Sha256> path) {
    public ConsistencyProof {
        if (oldSize < 0 || newSize < oldSize) {
            throw new IllegalArgumentException(
                    "a consistency proof needs 0 <= oldSize <= newSize, got %d and %d".formatted(oldSize, newSize));
        }
        path = List.copyOf(path);
    }

    /** True when the tree with {@code newRoot} begins with the tree that has {@code oldRoot}. */
    public boolean proves(Sha256 oldRoot, Sha256 newRoot) {
        if (oldSize == newSize) {
            return path.isEmpty() && oldRoot.equals(newRoot);
        }
        if (oldSize == 0) {
            return path.isEmpty() && oldRoot.equals(MerkleTree.EMPTY_ROOT);
        }
        return climb(oldRoot, newRoot);
    }

    /** RFC 9162, section 2.1.4.2. */
    private boolean climb(Sha256 oldRoot, Sha256 newRoot) {
        int next = 0;
        Sha256 seed = oldRoot;
        if (Long.bitCount(oldSize) != 1) {
            if (path.isEmpty()) {
                return false;
            }
            seed = path.get(next++);
        }
        int skipped = Long.numberOfTrailingZeros(oldSize);
        long oldNode = (oldSize - 1) >>> skipped;
        long newNode = (newSize - 1) >>> skipped;
        Sha256 oldHash = seed;
        Sha256 newHash = seed;
        for (; next < path.size(); next++) {
            if (newNode == 0) {
                return false;
            }
            Sha256 sibling = path.get(next);
            if ((oldNode & 1) == 1 || oldNode == newNode) {
                oldHash = MerkleTree.nodeHash(sibling, oldHash);
                newHash = MerkleTree.nodeHash(sibling, newHash);
                while ((oldNode & 1) == 0 && oldNode != 0) {
                    oldNode >>>= 1;
                    newNode >>>= 1;
                }
            } else {
                newHash = MerkleTree.nodeHash(newHash, sibling);
            }
            oldNode >>>= 1;
            newNode >>>= 1;
        }
        return newNode == 0 && oldHash.equals(oldRoot) && newHash.equals(newRoot);
    }
}
