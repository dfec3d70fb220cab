package org.bitwitness.protocol.merkle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;

class MerkleTreeTest {
    /** The leaves of the certificate-transparency reference tests, with their published roots. */
    private static final List<String> LEAVES =
            List.of("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f");

    private static final int MAX_SIZE = 17;

    @Test
    void givesThePublishedRoots() {
        assertEquals(
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                published(0).hex());
        assertEquals(
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                published(1).hex());
        assertEquals(
                "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                published(3).hex());
        assertEquals(
                "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                published(7).hex());
        assertEquals(
                "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
                published(8).hex());
    }

    @Test
    void givesTheSameRootAsTheRecursiveDefinition() {
        for (int size = 0; size <= MAX_SIZE; size++) {
            assertEquals(recursiveRoot(leaves(size)), MerkleTree.root(leaves(size)), "size " + size);
        }
    }

    @Test
    void provesEveryLeafOfEverySmallTree() {
        forEveryLeaf((leaves, root, proof, leaf) -> assertTrue(proof.proves(leaf, root)));
    }

    @Test
    void refusesAProofWithOneSiblingMoreOrLess() {
        forEveryLeaf((leaves, root, proof, leaf) -> {
            List<Sha256> longer = new ArrayList<>(proof.path());
            longer.add(leaf);
            assertFalse(new InclusionProof(proof.index(), proof.treeSize(), longer).proves(leaf, root));
            if (!proof.path().isEmpty()) {
                List<Sha256> shorter = proof.path().subList(0, proof.path().size() - 1);
                assertFalse(new InclusionProof(proof.index(), proof.treeSize(), shorter).proves(leaf, root));
            }
        });
    }

    @Test
    void refusesAProofForAnotherIndex() {
        forEveryLeaf((leaves, root, proof, leaf) -> {
            for (long other = 0; other < proof.treeSize(); other++) {
                if (other != proof.index()) {
                    assertFalse(new InclusionProof(other, proof.treeSize(), proof.path()).proves(leaf, root));
                }
            }
        });
    }

    @Test
    void refusesANodeShownAsALeaf() {
        List<Sha256> leaves = leaves(4);
        Sha256 node = MerkleTree.nodeHash(leaves.get(0), leaves.get(1));
        Sha256 root = MerkleTree.root(leaves);
        InclusionProof twoLeafTree =
                new InclusionProof(0, 2, List.of(MerkleTree.nodeHash(leaves.get(2), leaves.get(3))));
        byte[] nodeBytes = new byte[2 * Sha256.BYTES];
        System.arraycopy(leaves.get(0).bytes(), 0, nodeBytes, 0, Sha256.BYTES);
        System.arraycopy(leaves.get(1).bytes(), 0, nodeBytes, Sha256.BYTES, Sha256.BYTES);
        assertFalse(twoLeafTree.proves(MerkleTree.leafHash(nodeBytes), root), "data that spells two hashes");
        assertNotEquals(node, MerkleTree.leafHash(nodeBytes));
        assertFalse(new InclusionProof(0, 4, twoLeafTree.path()).proves(node, root), "a node with the true size");
    }

    @Test
    void provesThatEveryTreeBeginsWithEverySmallerOne() {
        for (int size = 0; size <= MAX_SIZE; size++) {
            List<Sha256> all = leaves(size);
            for (int old = 0; old <= size; old++) {
                ConsistencyProof proof = MerkleTree.consistencyProof(all, old);
                Sha256 oldRoot = MerkleTree.root(all.subList(0, old));
                assertTrue(proof.proves(oldRoot, MerkleTree.root(all)), old + " of " + size);
            }
        }
    }

    @Test
    void refusesAConsistencyProofForARewrittenTree() {
        for (int size = 2; size <= MAX_SIZE; size++) {
            List<Sha256> all = leaves(size);
            for (int old = 1; old < size; old++) {
                List<Sha256> rewritten = new ArrayList<>(all);
                rewritten.set(old - 1, Hashing.sha256("another entry"));
                ConsistencyProof proof = MerkleTree.consistencyProof(rewritten, old);
                Sha256 oldRoot = MerkleTree.root(all.subList(0, old));
                assertFalse(proof.proves(oldRoot, MerkleTree.root(rewritten)), old + " of " + size);
            }
        }
    }

    @Test
    void refusesAConsistencyProofOfTheWrongLength() {
        for (int size = 1; size <= MAX_SIZE; size++) {
            List<Sha256> all = leaves(size);
            for (int old = 0; old <= size; old++) {
                ConsistencyProof proof = MerkleTree.consistencyProof(all, old);
                Sha256 oldRoot = MerkleTree.root(all.subList(0, old));
                List<Sha256> longer = new ArrayList<>(proof.path());
                longer.add(all.getFirst());
                assertFalse(new ConsistencyProof(old, size, longer).proves(oldRoot, MerkleTree.root(all)));
                if (!proof.path().isEmpty()) {
                    List<Sha256> shorter = proof.path().subList(0, proof.path().size() - 1);
                    assertFalse(new ConsistencyProof(old, size, shorter).proves(oldRoot, MerkleTree.root(all)));
                }
            }
        }
    }

    @Test
    void refusesAnEmptyOldTreeWithARootOfItsOwn() {
        Sha256 root = MerkleTree.root(leaves(3));
        assertFalse(new ConsistencyProof(0, 3, List.of()).proves(root, root));
        assertFalse(new ConsistencyProof(3, 3, List.of()).proves(MerkleTree.EMPTY_ROOT, root));
    }

    @Test
    void refusesAnIndexOutsideTheTree() {
        assertThrows(IllegalArgumentException.class, () -> new InclusionProof(3, 3, List.of()));
        assertThrows(IllegalArgumentException.class, () -> new InclusionProof(-1, 3, List.of()));
        assertThrows(IllegalArgumentException.class, () -> MerkleTree.inclusionProof(leaves(2), 2));
        assertThrows(IllegalArgumentException.class, () -> new ConsistencyProof(4, 3, List.of()));
    }

    private interface LeafCheck {
        void check(List<Sha256> leaves, Sha256 root, InclusionProof proof, Sha256 leaf);
    }

    private static void forEveryLeaf(LeafCheck check) {
        for (int size = 1; size <= MAX_SIZE; size++) {
            List<Sha256> leaves = leaves(size);
            for (int i = 0; i < size; i++) {
                check.check(leaves, MerkleTree.root(leaves), MerkleTree.inclusionProof(leaves, i), leaves.get(i));
            }
        }
    }

    private static Sha256 published(int size) {
        return MerkleTree.rootOf(LEAVES.stream()
                .limit(size)
                .map(hex -> HexFormat.of().parseHex(hex))
                .toList());
    }

    private static List<Sha256> leaves(int size) {
        List<Sha256> leaves = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            leaves.add(MerkleTree.leafHash(new byte[] {(byte) i}));
        }
        return leaves;
    }

    private static Sha256 recursiveRoot(List<Sha256> leaves) {
        if (leaves.size() < 2) {
            return leaves.isEmpty() ? MerkleTree.EMPTY_ROOT : leaves.getFirst();
        }
        int split = 1;
        while (split * 2 < leaves.size()) {
            split *= 2;
        }
        return MerkleTree.nodeHash(
                recursiveRoot(leaves.subList(0, split)), recursiveRoot(leaves.subList(split, leaves.size())));
    }
}
