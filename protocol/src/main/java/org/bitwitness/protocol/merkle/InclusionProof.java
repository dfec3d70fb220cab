package org.bitwitness.protocol.merkle;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Sha256;

/**
 * The siblings that lead from leaf {@code index} to the root of a tree of {@code treeSize} leaves, lowest first. The
 * number of siblings follows from index and size: one more or one less is refused.
 */
public record InclusionProof(long index, long treeSize, List<Sha256> path) {
    public InclusionProof {
        if (index < 0 || index >= treeSize) {
            throw new IllegalArgumentException(
                    "an inclusion proof needs 0 <= index < treeSize, got index %d, treeSize %d"
                            .formatted(index, treeSize));
        }
        path = List.copyOf(path);
    }

    /** Number of siblings that a proof for this index and size has. */
    public static int pathLength(long index, long treeSize) {
        int inner = inner(index, treeSize);
        return inner + Long.bitCount(index >>> inner);
    }

    /** Root that this proof leads to from a leaf hash; empty when the path has the wrong length. */
    public Optional<Sha256> rootFrom(Sha256 leafHash) {
        if (path.size() != pathLength(index, treeSize)) {
            return Optional.empty();
        }
        int inner = inner(index, treeSize);
        Sha256 node = leafHash;
        for (int i = 0; i < path.size(); i++) {
            boolean siblingIsLeft = i >= inner || ((index >>> i) & 1) == 1;
            node = siblingIsLeft ? MerkleTree.nodeHash(path.get(i), node) : MerkleTree.nodeHash(node, path.get(i));
        }
        return Optional.of(node);
    }

    /** True when the leaf is in the tree with this root, at this index. */
    public boolean proves(Sha256 leafHash, Sha256 root) {
        return rootFrom(leafHash).map(root::equals).orElse(false);
    }

    private static int inner(long index, long treeSize) {
        return Long.SIZE - Long.numberOfLeadingZeros(index ^ (treeSize - 1));
    }
}
