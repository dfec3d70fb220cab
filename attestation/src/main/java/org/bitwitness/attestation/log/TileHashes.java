package org.bitwitness.attestation.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.ConsistencyProof;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * Hashes of the tree that one checkpoint describes, read from tiles and each verified: the partial tiles at the right
 * edge together give the checkpoint's root, and a full tile hashes to one value of the tile above it.
 *
 * <p>Safe for use by several threads.
 */
final class TileHashes {
    static final int TILE_HEIGHT = 8;

    private static final int CACHED_TILES = 1024;
    private static final int MAX_TILE_BYTES = TilePath.FULL * Sha256.BYTES;

    private final LogSource source;
    private final Checkpoint checkpoint;
    private final Map<TilePath, HashTile> cache = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<Integer, HashTile> edge;

    /** Reads the right edge. Throws if the tiles do not give the checkpoint's root. */
    TileHashes(LogSource source, Checkpoint checkpoint) throws AttestationException {
        this(source, checkpoint, readEdge(source, checkpoint));
    }

    /** With the partial tiles by level, which nobody changes any more. */
    TileHashes(LogSource source, Checkpoint checkpoint, Map<Integer, HashTile> edge) throws AttestationException {
        this.source = source;
        this.checkpoint = checkpoint;
        this.edge = edge;
        Sha256 root = checkpoint.size() == 0 ? MerkleTree.EMPTY_ROOT : range(0, checkpoint.size());
        if (!root.equals(checkpoint.root())) {
            throw AttestationException.refused(
                    "the tiles at %s give root %s for %d entries, the checkpoint says %s: this copy is damaged or is of"
                                    .formatted(source.place(), root, checkpoint.size(), checkpoint.root())
                            + " another tree; `bitwitness log fsck` names the first bad file");
        }
    }

    Checkpoint checkpoint() {
        return checkpoint;
    }

    private static Map<Integer, HashTile> readEdge(LogSource source, Checkpoint checkpoint)
            throws AttestationException {
        Map<Integer, HashTile> edge = new LinkedHashMap<>();
        for (int level = 0; hashesAt(checkpoint, level) > 0; level++) {
            int width = (int) (hashesAt(checkpoint, level) % TilePath.FULL);
            if (width > 0) {
                TilePath path = new TilePath(level, hashesAt(checkpoint, level) / TilePath.FULL, width);
                edge.put(level, readHashes(source, checkpoint, path));
            }
        }
        return edge;
    }

    /** The partial tiles by level. */
    Map<Integer, HashTile> edge() {
        return edge;
    }

    /** The verified leaf hashes of one tile, as many as the tree has in it. */
    List<Sha256> leafHashes(long tileIndex) throws AttestationException {
        return tile(0, tileIndex).hashes();
    }

    /** Root of the first {@code size} entries. */
    Sha256 rootAt(long size) throws AttestationException {
        return size == 0 ? MerkleTree.EMPTY_ROOT : range(0, size);
    }

    InclusionProof inclusion(long index) throws AttestationException {
        List<Sha256> path = new ArrayList<>();
        collectPath(index, 0, checkpoint.size(), path);
        return new InclusionProof(index, checkpoint.size(), path);
    }

    ConsistencyProof consistency(long oldSize) throws AttestationException {
        List<Sha256> path = new ArrayList<>();
        if (oldSize > 0 && oldSize < checkpoint.size()) {
            collectSubproof(oldSize, 0, checkpoint.size(), true, path);
        }
        return new ConsistencyProof(oldSize, checkpoint.size(), path);
    }

    /** PATH of RFC 9162, section 2.1.3.1, over entries [low, high). */
    private void collectPath(long index, long low, long high, List<Sha256> path) throws AttestationException {
        if (high - low == 1) {
            return;
        }
        long split = low + split(high - low);
        if (index < split) {
            collectPath(index, low, split, path);
            path.add(range(split, high));
        } else {
            collectPath(index, split, high, path);
            path.add(range(low, split));
        }
    }

    /** SUBPROOF of RFC 9162, section 2.1.4.1, over entries [low, high), of which the old tree holds those below end. */
    private void collectSubproof(long end, long low, long high, boolean known, List<Sha256> path)
            throws AttestationException {
        if (end == high) {
            if (!known) {
                path.add(range(low, high));
            }
            return;
        }
        long split = low + split(high - low);
        if (end <= split) {
            collectSubproof(end, low, split, known, path);
            path.add(range(split, high));
        } else {
            collectSubproof(end, split, high, false, path);
            path.add(range(low, split));
        }
    }

    /** Root of entries [low, high), where low is a multiple of the largest power of two that fits. */
    private Sha256 range(long low, long high) throws AttestationException {
        long count = high - low;
        if (Long.bitCount(count) == 1) {
            int height = Long.numberOfTrailingZeros(count);
            return subtree(height, low >>> height);
        }
        long split = low + split(count);
        return MerkleTree.nodeHash(range(low, split), range(split, high));
    }

    /** Largest power of two below {@code count}, which is at least 2. */
    private static long split(long count) {
        return Long.highestOneBit(count - 1);
    }

    /** Root of the perfect subtree of 2^height entries that is number {@code index} of its height. */
    private Sha256 subtree(int height, long index) throws AttestationException {
        int level = height / TILE_HEIGHT;
        int inTile = height % TILE_HEIGHT;
        long first = index << inTile;
        return tile(level, first / TilePath.FULL).root(inTile, (int) (first % TilePath.FULL) >>> inTile);
    }

    private HashTile tile(int level, long index) throws AttestationException {
        if (index == hashesAt(checkpoint, level) / TilePath.FULL) {
            HashTile partial = edge.get(level);
            if (partial == null) {
                throw new IllegalArgumentException(
                        "level %d of a tree of %d entries has no tile %d".formatted(level, checkpoint.size(), index));
            }
            return partial;
        }
        TilePath path = new TilePath(level, index, TilePath.FULL);
        Optional<HashTile> cached = cached(path);
        if (cached.isPresent()) {
            return cached.get();
        }
        HashTile tile = readHashes(source, checkpoint, path);
        Sha256 parent = subtree((level + 1) * TILE_HEIGHT, index);
        if (!tile.root(TILE_HEIGHT, 0).equals(parent)) {
            throw AttestationException.refused(
                    "%s at %s does not hash to %s, which the tile above it holds: this copy is damaged; fetch it again"
                            .formatted(path, source.place(), parent));
        }
        remember(path, tile);
        return tile;
    }

    private Optional<HashTile> cached(TilePath path) {
        synchronized (cache) {
            return Optional.ofNullable(cache.get(path));
        }
    }

    private void remember(TilePath path, HashTile tile) {
        synchronized (cache) {
            cache.put(path, tile);
            if (cache.size() > CACHED_TILES) {
                cache.remove(cache.keySet().iterator().next());
            }
        }
    }

    /** How many hashes the tree has at a tile level. */
    private static long hashesAt(Checkpoint checkpoint, int level) {
        int shift = level * TILE_HEIGHT;
        return shift >= Long.SIZE - 1 ? 0 : checkpoint.size() >>> shift;
    }

    /** A log may drop a partial tile once the full one exists, so that one is tried second. */
    private static HashTile readHashes(LogSource source, Checkpoint checkpoint, TilePath path)
            throws AttestationException {
        Optional<byte[]> found = source.read(path.path(), MAX_TILE_BYTES);
        boolean exact = found.isPresent();
        byte[] bytes = exact || path.isFull()
                ? found.orElseThrow(() -> missing(source, checkpoint, path))
                : source.read(path.full().path(), MAX_TILE_BYTES).orElseThrow(() -> missing(source, checkpoint, path));
        int needed = path.width() * Sha256.BYTES;
        if (bytes.length < needed || (exact && bytes.length != needed)) {
            throw AttestationException.refused(
                    "%s at %s should have %d bytes, has %d".formatted(path, source.place(), needed, bytes.length));
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        List<Sha256> hashes = new ArrayList<>(path.width());
        for (int i = 0; i < path.width(); i++) {
            hashes.add(Sha256.read(in));
        }
        return new HashTile(hashes);
    }

    private static AttestationException missing(LogSource source, Checkpoint checkpoint, TilePath path) {
        return AttestationException.refused(
                "%s is missing at %s, a tree of %d entries has it: fetch the whole log again"
                        .formatted(path, source.place(), checkpoint.size()));
    }
}
