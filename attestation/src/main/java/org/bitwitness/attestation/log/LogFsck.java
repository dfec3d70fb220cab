package org.bitwitness.attestation.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Derives a whole log again from its entries and compares every file: bundles in order, each tile they give, the root,
 * the checkpoint under the policy, and the payloads.
 */
public final class LogFsck {
    private static final int MAX_TILE_BYTES = TilePath.FULL * Sha256.BYTES;
    private static final int MAX_PAYLOAD_BYTES = 8 << 20;
    private static final String FETCH_AGAIN =
            "fetch the named files again from the log itself, and if they come the same, do not rely on this log";

    private final LogSource source;
    private final List<Long> missingPayloads = new ArrayList<>();
    private TreeEdge tree = new TreeEdge();

    /**
     * What was derived.
     *
     * @param missingPayloads indexes whose payload is absent: the tree is whole, answers that rest on it are not
     */
    public record Report(VerifiedCheckpoint checkpoint, Sha256 derivedRoot, List<Long> missingPayloads) {
        public Report {
            missingPayloads = List.copyOf(missingPayloads);
        }
    }

    private LogFsck(LogSource source) {
        this.source = source;
    }

    /**
     * Checks a log.
     *
     * @throws AttestationException naming the first file or entry that is not what the entries before it call for
     */
    public static Report check(LogSource source, WitnessPolicy policy) throws AttestationException {
        byte[] note = source.read(LocalTileLog.CHECKPOINT, SignedNote.MAX_BYTES)
                .orElseThrow(() -> AttestationException.refused(source.place() + " has no checkpoint"));
        VerifiedCheckpoint verified = policy.verify(SignedNote.parse(note));
        return new LogFsck(source).check(verified);
    }

    private Report check(VerifiedCheckpoint verified) throws AttestationException {
        Checkpoint checkpoint = verified.checkpoint();
        for (long first = 0; first < checkpoint.size(); first += TilePath.FULL) {
            int width = (int) Math.min(TilePath.FULL, checkpoint.size() - first);
            bundle(new TilePath(TilePath.ENTRIES, first / TilePath.FULL, width), first);
        }
        for (Map.Entry<String, byte[]> tile : tree.partialTiles().entrySet()) {
            compare(tile.getKey(), tile.getValue());
        }
        if (!tree.root().equals(checkpoint.root())) {
            throw AttestationException.refused(
                    "the %d entries give root %s, the checkpoint says %s: an entry and its tiles were changed together; %s"
                            .formatted(checkpoint.size(), tree.root(), checkpoint.root(), FETCH_AGAIN));
        }
        return new Report(verified, tree.root(), missingPayloads);
    }

    private void bundle(TilePath path, long first) throws AttestationException {
        Optional<byte[]> found = source.read(path.path(), EntryBundle.MAX_BYTES);
        boolean exact = found.isPresent();
        if (found.isEmpty()) {
            found = source.read(path.full().path(), EntryBundle.MAX_BYTES);
        }
        byte[] bytes = found.orElseThrow(() -> AttestationException.refused(path + " is missing"));
        List<byte[]> entries = EntryBundle.read(bytes, path.width(), exact)
                .orElseThrow(() -> AttestationException.refused(
                        "%s should hold exactly %d entries, ends elsewhere".formatted(path, path.width())));
        requireLeafTile(path, entries, first);
        for (Map.Entry<String, byte[]> file : tree.append(entries).entrySet()) {
            TilePath made = TilePath.parse(file.getKey()).orElseThrow();
            if (made.level() != TilePath.ENTRIES && made.isFull()) {
                compare(file.getKey(), file.getValue());
            }
        }
        for (int i = 0; i < entries.size(); i++) {
            payload(first + i, entries.get(i));
        }
    }

    /** Names the entry where a changed bundle and its tile part; comparing tiles would name only the tile. */
    private void requireLeafTile(TilePath bundle, List<byte[]> entries, long first) throws AttestationException {
        TilePath path = new TilePath(0, bundle.index(), bundle.width());
        byte[] tile = tileBytes(path);
        for (int i = 0; i < entries.size(); i++) {
            byte[] stored = Arrays.copyOfRange(tile, i * Sha256.BYTES, (i + 1) * Sha256.BYTES);
            byte[] derived = Hashing.sha256(new byte[] {0}, entries.get(i)).bytes();
            if (!Arrays.equals(stored, derived)) {
                throw AttestationException.refused(
                        "entry %d: %s has leaf hash %s, %s holds %s: one of the two was changed; %s"
                                .formatted(
                                        first + i, bundle, Sha256.of(derived), path, Sha256.of(stored), FETCH_AGAIN));
            }
        }
    }

    private void compare(String path, byte[] derived) throws AttestationException {
        byte[] stored = tileBytes(TilePath.parse(path).orElseThrow());
        int at = Arrays.mismatch(stored, derived);
        if (at >= 0) {
            throw AttestationException.refused("%s: hash %d differs from what the entries below it give; %s"
                    .formatted(path, at / Sha256.BYTES, FETCH_AGAIN));
        }
    }

    private byte[] tileBytes(TilePath path) throws AttestationException {
        int needed = path.width() * Sha256.BYTES;
        Optional<byte[]> found = source.read(path.path(), MAX_TILE_BYTES);
        if (found.isEmpty() && !path.isFull()) {
            found = source.read(path.full().path(), MAX_TILE_BYTES).map(full -> Arrays.copyOf(full, needed));
        }
        byte[] bytes = found.orElseThrow(() -> AttestationException.refused(path + " is missing"));
        if (bytes.length != needed) {
            throw AttestationException.refused("%s should have %d bytes, has %d".formatted(path, needed, bytes.length));
        }
        return bytes;
    }

    private void payload(long index, byte[] leaf) throws AttestationException {
        LogEntry entry;
        try {
            entry = LogEntry.parse(leaf);
        } catch (AttestationException e) {
            throw e.in("entry " + index);
        }
        Optional<Sha256> digest = entry.payloadDigest();
        Optional<byte[]> payload = digest.isEmpty()
                ? Optional.empty()
                : source.read(NewEntry.payloadPath(digest.get()), MAX_PAYLOAD_BYTES);
        if (payload.isEmpty()) {
            missingPayloads.add(index);
            return;
        }
        try {
            entry.verified(payload.get());
        } catch (AttestationException e) {
            throw e.in("entry " + index);
        }
    }
}
