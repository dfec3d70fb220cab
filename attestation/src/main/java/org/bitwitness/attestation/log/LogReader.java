package org.bitwitness.attestation.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.ConsistencyProof;

/**
 * Reads a log at one checkpoint that a policy accepted. Everything it returns is checked against that checkpoint, and
 * nothing it answers changes while the log grows.
 *
 * <p>Safe for use by several threads.
 */
public final class LogReader {
    private static final int MAX_PAYLOAD_BYTES = 8 << 20;

    private final LogSource source;
    private final VerifiedCheckpoint checkpoint;
    private final TileHashes hashes;

    private LogReader(LogSource source, VerifiedCheckpoint checkpoint) throws AttestationException {
        this.source = source;
        this.checkpoint = checkpoint;
        this.hashes = new TileHashes(source, checkpoint.checkpoint());
    }

    /** Opens a log at the checkpoint that it publishes now. */
    public static LogReader open(LogSource source, WitnessPolicy policy) throws AttestationException {
        byte[] note = source.read(LocalTileLog.CHECKPOINT, SignedNote.MAX_BYTES)
                .orElseThrow(() -> AttestationException.inconclusive(
                        source.place() + " has no checkpoint: nothing was published yet, or this is not a log"));
        return at(source, policy.verify(SignedNote.parse(note)));
    }

    /** Opens a log at an earlier checkpoint, for example one from a receipt. */
    public static LogReader at(LogSource source, VerifiedCheckpoint checkpoint) throws AttestationException {
        return new LogReader(source, checkpoint);
    }

    public VerifiedCheckpoint checkpoint() {
        return checkpoint;
    }

    /** Entries in the tree. */
    public long size() {
        return checkpoint.checkpoint().size();
    }

    public String origin() {
        return checkpoint.checkpoint().origin();
    }

    /** Bytes of an entry. */
    public byte[] leaf(long index) throws AttestationException {
        requireInside(index);
        return bundleOf(index).get((int) (index % TilePath.FULL));
    }

    /** An entry, parsed. */
    public LogEntry entry(long index) throws AttestationException {
        try {
            return LogEntry.parse(leaf(index));
        } catch (AttestationException e) {
            throw e.in("entry " + index);
        }
    }

    /** An entry with the proof that it is in this reader's checkpoint. */
    public LogReceipt receipt(long index) throws AttestationException {
        requireInside(index);
        return new LogReceipt(hashes.inclusion(index), checkpoint.note(), leaf(index));
    }

    /**
     * Proof that the tree of {@code oldSize} entries is a prefix of this one.
     *
     * @throws AttestationException if this tree is the smaller one
     */
    public ConsistencyProof consistencyFrom(long oldSize) throws AttestationException {
        if (oldSize > size()) {
            throw AttestationException.refused(
                    "%s has %d entries here, %d were seen before: this copy is old, or the log was cut back"
                            .formatted(origin(), size(), oldSize));
        }
        return hashes.consistency(oldSize);
    }

    /**
     * Root of the first {@code size} entries.
     *
     * @throws AttestationException if the checkpoint has fewer
     */
    public Sha256 rootAt(long size) throws AttestationException {
        if (size > size()) {
            throw AttestationException.refused(
                    "%s has %d entries here, not %d: get a newer checkpoint".formatted(origin(), size(), size));
        }
        return hashes.rootAt(size);
    }

    /**
     * Checks that this tree continues an earlier one.
     *
     * @throws AttestationException if the log dropped or changed something that the earlier checkpoint held
     */
    public void requireContinues(Checkpoint earlier) throws AttestationException {
        if (!earlier.origin().equals(origin())) {
            throw AttestationException.refused(
                    "the earlier checkpoint is of log %s, this one of %s".formatted(earlier.origin(), origin()));
        }
        ConsistencyProof proof = consistencyFrom(earlier.size());
        if (!proof.proves(earlier.root(), checkpoint.checkpoint().root())) {
            throw AttestationException.refused(
                    "log %s told two stories: its tree of %d entries does not begin with the tree of %d entries and root %s that it signed before. Keep both checkpoints: they prove it"
                            .formatted(origin(), size(), earlier.size(), earlier.root()));
        }
    }

    /**
     * A payload by its digest.
     *
     * @return empty if the log does not have it: whoever asks must then answer "inconclusive"
     * @throws AttestationException if what is stored under the digest is something else
     */
    public Optional<byte[]> payload(Sha256 digest) throws AttestationException {
        Optional<byte[]> payload = source.read(NewEntry.payloadPath(digest), MAX_PAYLOAD_BYTES);
        if (payload.isPresent() && !Hashing.sha256(payload.get()).equals(digest)) {
            throw AttestationException.refused("%s at %s has SHA-256 %s: it was changed; fetch it again"
                    .formatted(NewEntry.payloadPath(digest), source.place(), Hashing.sha256(payload.get())));
        }
        return payload;
    }

    /** Receives the entries of a log in order. */
    public interface Visitor {
        /**
         * One entry.
         *
         * @param payload empty if the log does not have it
         */
        void entry(long index, LogEntry entry, Optional<byte[]> payload) throws AttestationException;
    }

    /** Reads all entries from {@code firstIndex} on. */
    public void visit(long firstIndex, Visitor visitor) throws AttestationException {
        for (long index = firstIndex; index < size(); ) {
            List<byte[]> bundle = bundleOf(index);
            for (int i = (int) (index % TilePath.FULL); i < bundle.size(); i++, index++) {
                LogEntry entry;
                try {
                    entry = LogEntry.parse(bundle.get(i));
                } catch (AttestationException e) {
                    throw e.in("entry " + index);
                }
                Optional<Sha256> digest = entry.payloadDigest();
                visitor.entry(index, entry, digest.isPresent() ? payload(digest.get()) : Optional.empty());
            }
        }
    }

    /** Indexes of entries whose payload the log does not have, ascending. */
    public List<Long> missingPayloads() throws AttestationException {
        List<Long> missing = new ArrayList<>();
        visit(0, (index, entry, payload) -> {
            if (payload.isEmpty()) {
                missing.add(index);
            }
        });
        return missing;
    }

    private List<byte[]> bundleOf(long index) throws AttestationException {
        long tile = index / TilePath.FULL;
        List<Sha256> leafHashes = hashes.leafHashes(tile);
        return LogEntries.read(source, new TilePath(TilePath.ENTRIES, tile, leafHashes.size()), leafHashes);
    }

    private void requireInside(long index) throws AttestationException {
        if (index < 0 || index >= size()) {
            throw AttestationException.refused(
                    "entry %d is not in the checkpoint of %d entries: if it was appended later, get a newer checkpoint (size %d or more) and prove against that one"
                            .formatted(index, size(), index + 1));
        }
    }
}
