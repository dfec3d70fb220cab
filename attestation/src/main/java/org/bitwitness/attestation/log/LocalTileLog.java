package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.OneWriter;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.store.WriterLock;

/**
 * The one writer of a log in a folder.
 *
 * <p>A batch of entries goes to disk in this order; steps 1 to 3 are one batch with one sync, of which a crash leaves
 * a first part:
 * <ol>
 *   <li>payloads, under their digests;
 *   <li>bundles and tiles of the grown tree, under names that no published checkpoint refers to;
 *   <li>{@code .writer/tree}, the grown tree's checkpoint, signed by the log. From here the entries are in the tree for
 *       good: a witness may see this checkpoint next, so it may never be contradicted;
 *   <li>{@code checkpoint}, the same with cosignatures that meet the policy.
 * </ol>
 * Only then is the batch acknowledged. A crash before step 3 leaves files that {@link #open} removes; a crash after it
 * leaves a tree that {@code open} keeps and the next append publishes first, unchanged, so that every witness sees the
 * same sequence of checkpoints.
 *
 * <p>Safe for use by several threads; calls are served one after the other.
 */
public final class LocalTileLog implements TransparencyLog, AutoCloseable {
    static final String TREE = FolderStore.WRITER + "/tree";
    static final String CHECKPOINT = "checkpoint";

    private final LogStore store;
    private final NoteSigner signer;
    private final WitnessPolicy policy;
    private final CheckpointCosigner cosigner;
    private final Optional<WriterLock> lock;

    private TreeEdge edge = new TreeEdge();
    private Optional<SignedNote> tree = Optional.empty();
    private Optional<VerifiedCheckpoint> published = Optional.empty();
    private Optional<TileHashes> newest = Optional.empty();
    private final Map<Sha256, Long> indexByLeafHash = new HashMap<>();
    private boolean loaded;

    /**
     * Whose log it is and what it takes to publish.
     *
     * @param signer its name is the log's origin; the policy must list its key
     */
    public record Settings(NoteSigner signer, WitnessPolicy policy, CheckpointCosigner cosigner) {}

    private LocalTileLog(LogStore store, Settings settings, Optional<WriterLock> lock) throws AttestationException {
        this.store = store;
        this.signer = settings.signer();
        this.policy = settings.policy();
        this.cosigner = settings.cosigner();
        this.lock = lock;
        if (policy.logs().stream().noneMatch(log -> log.key().equals(signer.verifier()))) {
            throw AttestationException.environment("the policy does not list this log's key; add the line \"log "
                    + signer.verifier().vkey() + "\"");
        }
    }

    /**
     * Opens a log for writing; an empty or missing folder becomes an empty log.
     *
     * @throws AttestationException if another process writes it, its key is another one, or its files are damaged
     */
    public static LocalTileLog open(Path folder, Settings settings) throws AttestationException {
        FolderStore store = FolderStore.writable(folder);
        WriterLock lock = OneWriter.lock(folder.resolve(FolderStore.WRITER).resolve("lock"), "the log " + folder);
        try {
            LocalTileLog log = new LocalTileLog(store, settings, Optional.of(lock));
            log.load();
            return log;
        } catch (AttestationException e) {
            try {
                lock.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /** Over any store, without a lock. */
    static LocalTileLog open(LogStore store, Settings settings) throws AttestationException {
        LocalTileLog log = new LocalTileLog(store, settings, Optional.empty());
        log.load();
        return log;
    }

    public String origin() {
        return signer.verifier().name();
    }

    /** The newest published checkpoint; empty before the first entry. */
    public synchronized Optional<VerifiedCheckpoint> published() {
        return published;
    }

    @Override
    public LogReceipt append(DsseEnvelope envelope, VerifyingKey key) throws AttestationException {
        return append(List.of(NewEntry.of(envelope, key))).getFirst();
    }

    /**
     * Appends a batch under one checkpoint. Receipts are in the order of the entries; that of an entry which is there
     * already is for the tree before this batch.
     */
    public synchronized List<LogReceipt> append(List<NewEntry> entries) throws AttestationException {
        if (!loaded) {
            load();
        }
        publish();
        SequencedMap<Sha256, NewEntry> fresh = new LinkedHashMap<>();
        List<NewEntry> known = new ArrayList<>();
        for (NewEntry entry : entries) {
            Sha256 leafHash = MerkleTree.leafHash(entry.leaf());
            if (indexByLeafHash.containsKey(leafHash)) {
                known.add(entry);
            } else {
                fresh.putIfAbsent(leafHash, entry);
            }
        }
        // Witnesses answer a beacon for the first tree with an entry only. Who appends again what was not acknowledged
        // may still get that one, if it is not made larger first.
        Map<Sha256, LogReceipt> beforeGrowth = new HashMap<>();
        for (LogReceipt receipt : known.isEmpty() ? List.<LogReceipt>of() : receipts(known)) {
            beforeGrowth.put(receipt.leafHash(), receipt);
        }
        if (!fresh.isEmpty()) {
            integrate(fresh);
            publish();
        }
        List<LogReceipt> receipts = receipts(entries);
        receipts.replaceAll(receipt -> beforeGrowth.getOrDefault(receipt.leafHash(), receipt));
        return receipts;
    }

    /** Steps 1 to 3. After a failed write the memory is stale, so the next call loads from disk. */
    private void integrate(SequencedMap<Sha256, NewEntry> fresh) throws AttestationException {
        TreeEdge grown = edge.copy();
        SequencedMap<String, byte[]> files =
                grown.append(fresh.values().stream().map(NewEntry::leaf).toList());
        SignedNote note = sign(new Checkpoint(origin(), grown.size(), grown.root()));
        loaded = false;
        try {
            SequencedMap<String, byte[]> batch = newPayloads(fresh.values());
            batch.putAll(files);
            batch.putLast(TREE, note.toBytes());
            store.writeAll(batch);
        } catch (IOException e) {
            throw writeFailed(e);
        }
        long index = edge.size();
        for (Sha256 leafHash : fresh.keySet()) {
            indexByLeafHash.put(leafHash, index++);
        }
        edge = grown;
        tree = Optional.of(note);
        loaded = true;
    }

    /** Step 4, for whatever tree is not published yet. */
    private void publish() throws AttestationException {
        if (tree.isEmpty() || edge.size() == 0 || publishedSize() == edge.size()) {
            return;
        }
        SignedNote note = tree.get();
        TileHashes hashes = hashesOf(Checkpoint.parse(note.text()));
        CheckpointCosigner.Collected collected = cosigner.cosign(note, hashes::consistency);
        SignedNote cosigned = note.with(collected.signatures());
        VerifiedCheckpoint verified;
        try {
            verified = policy.verify(cosigned);
        } catch (AttestationException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "not published, so not acknowledged: " + e.getMessage()
                            + collected.problems().stream().map(p -> "; " + p).collect(Collectors.joining())
                            + ". The entries are kept: append them again when the witnesses answer",
                    e);
        }
        loaded = false;
        try {
            store.write(CHECKPOINT, cosigned.toBytes());
        } catch (IOException e) {
            throw writeFailed(e);
        }
        long before = publishedSize();
        published = Optional.of(verified);
        loaded = true;
        dropOldPartials(before);
    }

    private List<LogReceipt> receipts(List<NewEntry> entries) throws AttestationException {
        SignedNote checkpoint = published.orElseThrow().note();
        TileHashes hashes = hashesOf(published.orElseThrow().checkpoint());
        List<LogReceipt> receipts = new ArrayList<>();
        for (NewEntry entry : entries) {
            Long index = indexByLeafHash.get(MerkleTree.leafHash(entry.leaf()));
            if (index == null) {
                throw new IllegalStateException("an appended entry has no index");
            }
            receipts.add(new LogReceipt(hashes.inclusion(index), checkpoint, entry.leaf()));
        }
        return receipts;
    }

    /** Hashes of the newest tree, whose edge is in memory. */
    private TileHashes hashesOf(Checkpoint checkpoint) throws AttestationException {
        if (newest.isEmpty() || !newest.get().checkpoint().equals(checkpoint)) {
            newest = Optional.of(new TileHashes(store, checkpoint, edge.tiles()));
        }
        return newest.get();
    }

    private SequencedMap<String, byte[]> newPayloads(Collection<NewEntry> entries) throws IOException {
        SequencedMap<String, byte[]> payloads = new LinkedHashMap<>();
        for (NewEntry entry : entries) {
            if (!store.exists(entry.payloadPath())) {
                payloads.put(entry.payloadPath(), entry.payload());
            }
        }
        return payloads;
    }

    /**
     * Reads what is on disk, checks it, and removes what a crash left of a batch that never became part of the tree.
     */
    private synchronized void load() throws AttestationException {
        indexByLeafHash.clear();
        try {
            store.recover();
        } catch (IOException e) {
            throw writeFailed(e);
        }
        Optional<byte[]> treeBytes = store.read(TREE, SignedNote.MAX_BYTES);
        Optional<byte[]> checkpointBytes = store.read(CHECKPOINT, SignedNote.MAX_BYTES);
        if (treeBytes.isEmpty() && checkpointBytes.isPresent()) {
            throw AttestationException.environment(
                    "%s has a checkpoint but no %s: it is a copy for readers; write in the original folder"
                            .formatted(store.place(), TREE));
        }
        Checkpoint current = new Checkpoint(origin(), 0, MerkleTree.EMPTY_ROOT);
        if (treeBytes.isPresent()) {
            SignedNote note = SignedNote.parse(treeBytes.get());
            current = own(note);
            tree = Optional.of(note);
        } else {
            tree = Optional.empty();
        }
        TileHashes hashes = new TileHashes(store, current);
        edge = TreeEdge.read(store, hashes);
        for (long tile = 0; tile * TilePath.FULL < current.size(); tile++) {
            long index = tile * TilePath.FULL;
            for (Sha256 leafHash : hashes.leafHashes(tile)) {
                indexByLeafHash.put(leafHash, index++);
            }
        }
        published = Optional.empty();
        if (checkpointBytes.isPresent()) {
            SignedNote note = SignedNote.parse(checkpointBytes.get());
            requirePrefix(own(note), hashes);
            published = underPolicyOfToday(note);
        }
        try {
            new Leftovers(store).discardBeyond(current.size());
        } catch (IOException e) {
            throw writeFailed(e);
        }
        loaded = true;
    }

    /** A checkpoint published under an earlier policy counts as unpublished: the next append gets it cosigned again. */
    private Optional<VerifiedCheckpoint> underPolicyOfToday(SignedNote note) {
        try {
            return Optional.of(policy.verify(note));
        } catch (AttestationException notEnough) {
            return Optional.empty();
        }
    }

    private Checkpoint own(SignedNote note) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        if (!checkpoint.origin().equals(origin())
                || note.verifiedBy(signer.verifier()).isEmpty()) {
            throw AttestationException.environment(
                    "%s is the log of \"%s\" with another key, not of %s: use its own key"
                            .formatted(
                                    store.place(),
                                    checkpoint.origin(),
                                    signer.verifier().vkey()));
        }
        return checkpoint;
    }

    private void requirePrefix(Checkpoint earlier, TileHashes hashes) throws AttestationException {
        Checkpoint current = hashes.checkpoint();
        if (earlier.size() > current.size() || !hashes.rootAt(earlier.size()).equals(earlier.root())) {
            throw AttestationException.environment(
                    "%s: the published checkpoint of %d entries is no prefix of the tree of %d: the folder is a mixture of two states; restore it as a whole"
                            .formatted(store.place(), earlier.size(), current.size()));
        }
    }

    /** Partial tiles serve nobody once the full tile is published. Failing to remove them harms nothing. */
    private void dropOldPartials(long before) {
        try {
            new Leftovers(store).dropPartialsOfFullTiles(before, edge.size());
        } catch (IOException e) {
            System.getLogger(LocalTileLog.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove old partial tiles: {0}", e.toString());
        }
    }

    private SignedNote sign(Checkpoint checkpoint) {
        return new SignedNote(checkpoint.text(), List.of(signer.sign(checkpoint.text())));
    }

    private long publishedSize() {
        return published.map(p -> p.checkpoint().size()).orElse(0L);
    }

    private AttestationException writeFailed(IOException e) {
        return new AttestationException(
                AttestationException.Kind.ENVIRONMENT,
                "cannot write the log " + store.place() + ": " + e
                        + ". Nothing of this batch is acknowledged; make room or mend the disk, then append again",
                e);
    }

    @Override
    public synchronized void close() throws AttestationException {
        if (lock.isPresent()) {
            try {
                try {
                    store.settle();
                } finally {
                    lock.get().close();
                }
            } catch (IOException e) {
                throw new AttestationException(
                        AttestationException.Kind.ENVIRONMENT, "cannot unlock " + store.place() + ": " + e, e);
            }
        }
    }
}
