package org.bitwitness.attestation.log;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * The growing side of a tile tree: the partial tile of every level and the partial bundle of entries. Appending says
 * which files the grown tree needs; it writes nothing.
 */
final class TreeEdge {
    private final List<HashTile> levels = new ArrayList<>();
    private final ByteArrayOutputStream bundle = new ByteArrayOutputStream();
    private long size;

    /** The edge of the empty tree. */
    TreeEdge() {}

    private TreeEdge(TreeEdge other) {
        other.levels.forEach(tile -> levels.add(tile.copy()));
        bundle.writeBytes(other.bundle.toByteArray());
        size = other.size;
    }

    /** Reads the edge of a tree whose checkpoint {@code hashes} was opened with, so its hashes are verified. */
    static TreeEdge read(LogSource source, TileHashes hashes) throws AttestationException {
        TreeEdge edge = new TreeEdge();
        edge.size = hashes.checkpoint().size();
        hashes.edge().forEach((level, tile) -> tile.hashes().forEach(edge.level(level)::add));
        int width = (int) (edge.size % TilePath.FULL);
        if (width > 0) {
            TilePath path = new TilePath(TilePath.ENTRIES, edge.size / TilePath.FULL, width);
            LogEntries.read(source, path, edge.level(0).hashes())
                    .forEach(entry -> EntryBundle.append(edge.bundle, entry));
        }
        return edge;
    }

    long size() {
        return size;
    }

    TreeEdge copy() {
        return new TreeEdge(this);
    }

    /**
     * Adds entries.
     *
     * @return the files of the grown tree that are new, entries before hashes, full tiles before the partial ones
     */
    SequencedMap<String, byte[]> append(List<byte[]> entries) {
        SequencedMap<String, byte[]> bundles = new LinkedHashMap<>();
        SequencedMap<String, byte[]> tiles = new LinkedHashMap<>();
        Set<String> alreadyThere = partialTiles().keySet();
        for (byte[] entry : entries) {
            EntryBundle.append(bundle, entry);
            size++;
            if (size % TilePath.FULL == 0) {
                bundles.put(bundlePath(size / TilePath.FULL - 1, TilePath.FULL), bundle.toByteArray());
                bundle.reset();
            }
            push(0, MerkleTree.leafHash(entry), tiles);
        }
        int width = (int) (size % TilePath.FULL);
        if (width > 0) {
            bundles.put(bundlePath(size / TilePath.FULL, width), bundle.toByteArray());
        }
        partialTiles().forEach((path, bytes) -> {
            if (!alreadyThere.contains(path)) {
                tiles.put(path, bytes);
            }
        });
        bundles.putAll(tiles);
        return bundles;
    }

    /** The partial hash tiles of the tree as it is now. */
    SequencedMap<String, byte[]> partialTiles() {
        SequencedMap<String, byte[]> tiles = new LinkedHashMap<>();
        for (int level = 0; level < levels.size(); level++) {
            HashTile tile = levels.get(level);
            if (tile.size() > 0) {
                tiles.put(new TilePath(level, fullTilesAt(level), tile.size()).path(), bytes(tile));
            }
        }
        return tiles;
    }

    /** Copies of the partial hash tiles, by level. */
    Map<Integer, HashTile> tiles() {
        Map<Integer, HashTile> tiles = new LinkedHashMap<>();
        for (int level = 0; level < levels.size(); level++) {
            if (levels.get(level).size() > 0) {
                tiles.put(level, levels.get(level).copy());
            }
        }
        return tiles;
    }

    /** Root of the tree as it is now. */
    Sha256 root() {
        List<Sha256> subtrees = new ArrayList<>();
        for (int level = levels.size() - 1; level >= 0; level--) {
            HashTile tile = levels.get(level);
            for (int from = 0; from < tile.size(); ) {
                int count = Integer.highestOneBit(tile.size() - from);
                subtrees.add(tile.root(Integer.numberOfTrailingZeros(count), from / count));
                from += count;
            }
        }
        if (subtrees.isEmpty()) {
            return MerkleTree.EMPTY_ROOT;
        }
        Sha256 root = subtrees.removeLast();
        while (!subtrees.isEmpty()) {
            root = MerkleTree.nodeHash(subtrees.removeLast(), root);
        }
        return root;
    }

    private void push(int level, Sha256 hash, SequencedMap<String, byte[]> tiles) {
        HashTile tile = level(level);
        tile.add(hash);
        if (tile.size() == TilePath.FULL) {
            tiles.put(new TilePath(level, fullTilesAt(level) - 1, TilePath.FULL).path(), bytes(tile));
            levels.set(level, new HashTile());
            push(level + 1, tile.root(TileHashes.TILE_HEIGHT, 0), tiles);
        }
    }

    private long fullTilesAt(int level) {
        return size >>> (8 * (level + 1));
    }

    private HashTile level(int level) {
        while (levels.size() <= level) {
            levels.add(new HashTile());
        }
        return levels.get(level);
    }

    private static String bundlePath(long index, int width) {
        return new TilePath(TilePath.ENTRIES, index, width).path();
    }

    private static byte[] bytes(HashTile tile) {
        ByteBuffer out = ByteBuffer.allocate(tile.size() * Sha256.BYTES);
        tile.hashes().forEach(hash -> hash.write(out));
        return out.array();
    }
}
