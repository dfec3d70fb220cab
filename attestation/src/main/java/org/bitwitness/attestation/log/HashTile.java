package org.bitwitness.attestation.log;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;

/** Up to 256 hashes of one level of a tree, and the roots of all perfect subtrees over them, each hashed once. */
final class HashTile {
    /** Row {@code h} has a root for every 2^h hashes. */
    private final List<List<Sha256>> rows = new ArrayList<>();

    HashTile() {
        rows.add(new ArrayList<>());
    }

    HashTile(List<Sha256> hashes) {
        this();
        hashes.forEach(this::add);
    }

    void add(Sha256 hash) {
        Sha256 root = hash;
        for (int height = 0; ; height++) {
            List<Sha256> row = row(height);
            row.add(root);
            if (row.size() % 2 == 1) {
                return;
            }
            root = MerkleTree.nodeHash(row.get(row.size() - 2), root);
        }
    }

    HashTile copy() {
        HashTile copy = new HashTile();
        copy.rows.clear();
        rows.forEach(row -> copy.rows.add(new ArrayList<>(row)));
        return copy;
    }

    int size() {
        return rows.getFirst().size();
    }

    List<Sha256> hashes() {
        return Collections.unmodifiableList(rows.getFirst());
    }

    /** Root of hashes [index·2^height, (index + 1)·2^height), which the tile must have. */
    Sha256 root(int height, int index) {
        return rows.get(height).get(index);
    }

    private List<Sha256> row(int height) {
        if (rows.size() == height) {
            rows.add(new ArrayList<>());
        }
        return rows.get(height);
    }
}
