package org.bitwitness.attestation.witness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.OneWriter;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.ConsistencyProof;
import org.bitwitness.protocol.store.WriterLock;

/**
 * One witness: remembers the newest tree of each log it knows and cosigns only what continues it.
 *
 * <p>Safe for use by several threads; checking and recording are one step under one lock.
 */
public final class Witness implements AutoCloseable {
    private final Settings settings;
    private final WriterLock lock;
    private final Map<String, CosignedHistory> histories = new HashMap<>();

    /**
     * Who a witness is and whom it watches.
     *
     * @param signer its cosignature key
     * @param vrfKey its P-256 key for beacons; absent if it answers none
     * @param logs keys of the logs it knows, one to an origin
     * @param clock for the time in cosignatures
     */
    public record Settings(
            NoteSigner signer, Optional<SigningKey> vrfKey, List<NoteVerifier> logs, InstantSource clock) {
        public Settings {
            logs = List.copyOf(logs);
        }
    }

    /** How a request for a cosignature ended. */
    public sealed interface Outcome {
        /** Recorded and cosigned. */
        record Cosigned(NoteSignature signature) implements Outcome {}

        /** The request is about an older tree, or contradicts the newest; {@code size} is what the witness holds. */
        record Conflict(long size, String message) implements Outcome {}

        /** Refused, with the status that the protocol gives to the reason. */
        record Refused(int status, String message) implements Outcome {}
    }

    private Witness(Settings settings, WriterLock lock) {
        this.settings = settings;
        this.lock = lock;
    }

    /**
     * Opens a witness on its state.
     *
     * @param state a folder that only this process writes; made if needed
     * @throws AttestationException if another process has it, or its history is damaged
     */
    public static Witness open(Path state, Settings settings) throws AttestationException {
        try {
            Files.createDirectories(state);
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot make " + state + ": " + e, e);
        }
        Witness witness = new Witness(settings, OneWriter.lock(state.resolve("lock"), "the witness state " + state));
        try {
            for (NoteVerifier log : settings.logs()) {
                if (witness.histories.put(log.name(), CosignedHistory.open(state, log.name())) != null) {
                    throw AttestationException.environment("two keys for log " + log.name() + ": give one");
                }
            }
            return witness;
        } catch (AttestationException e) {
            witness.closeAfter(e);
            throw e;
        }
    }

    public NoteVerifier verifier() {
        return settings.signer().verifier();
    }

    /** Whether this witness answers beacons. */
    public boolean answersBeacons() {
        return settings.vrfKey().isPresent();
    }

    Outcome addCheckpoint(AddCheckpointRequest request) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(request.checkpoint().text());
        Optional<NoteVerifier> log = settings.logs().stream()
                .filter(key -> key.name().equals(checkpoint.origin()))
                .findFirst();
        if (log.isEmpty()) {
            return new Outcome.Refused(404, "this witness does not know the log \"" + checkpoint.origin() + "\"");
        }
        if (!isSigned(request, log.get())) {
            return new Outcome.Refused(
                    403, "the checkpoint is not signed by " + log.get().vkey());
        }
        if (request.oldSize() > checkpoint.size()) {
            return new Outcome.Refused(
                    400,
                    "the old size %d is larger than the checkpoint's %d"
                            .formatted(request.oldSize(), checkpoint.size()));
        }
        return decide(request, checkpoint);
    }

    private synchronized Outcome decide(AddCheckpointRequest request, Checkpoint checkpoint)
            throws AttestationException {
        CosignedHistory history = history(checkpoint.origin());
        long latest = history.latestSize();
        if (request.oldSize() != latest) {
            return new Outcome.Conflict(
                    latest,
                    "the newest tree here has %d entries, the request starts from %d"
                            .formatted(latest, request.oldSize()));
        }
        Optional<Sha256> root = history.rootOf(latest);
        if (latest == checkpoint.size() && root.isPresent() && !root.get().equals(checkpoint.root())) {
            return new Outcome.Conflict(
                    latest,
                    "this witness cosigned another root for %d entries: the log tells two stories".formatted(latest));
        }
        ConsistencyProof proof = new ConsistencyProof(latest, checkpoint.size(), request.proof());
        if (!proof.proves(root.orElse(org.bitwitness.protocol.merkle.MerkleTree.EMPTY_ROOT), checkpoint.root())) {
            return new Outcome.Refused(
                    422,
                    "the proof does not show that %d entries are a prefix of the %d in the checkpoint"
                            .formatted(latest, checkpoint.size()));
        }
        if (checkpoint.size() > latest) {
            history.record(checkpoint.size(), checkpoint.root());
        }
        return new Outcome.Cosigned(
                settings.signer().cosign(checkpoint.text(), settings.clock().instant()));
    }

    /**
     * Answers a beacon for the first tree that this witness cosigned and that holds the entry. Only that one: were
     * later trees answered too, whoever asks could wait for an outcome they like.
     */
    synchronized VrfProof beacon(BeaconRequest request) throws AttestationException {
        SigningKey key = settings.vrfKey()
                .orElseThrow(() -> AttestationException.refused("this witness answers no beacons: it has no VRF key"));
        CosignedHistory history = histories.get(request.origin());
        if (history == null) {
            throw AttestationException.refused("this witness does not know the log \"" + request.origin() + "\"");
        }
        Map.Entry<Long, Sha256> first = history.firstHolding(request.leafIndex())
                .orElseThrow(
                        () -> AttestationException.refused("this witness has cosigned no tree of %s that holds entry %d"
                                .formatted(request.origin(), request.leafIndex())));
        if (first.getKey() != request.treeSize() || !first.getValue().equals(request.logRoot())) {
            throw AttestationException.refused(
                    "the first tree of %s with entry %d that this witness cosigned has %d entries and root %s, not %d and %s"
                            .formatted(
                                    request.origin(),
                                    request.leafIndex(),
                                    first.getKey(),
                                    first.getValue(),
                                    request.treeSize(),
                                    request.logRoot()));
        }
        return EcVrfP256.prove(key, request.alpha());
    }

    private CosignedHistory history(String origin) {
        CosignedHistory history = histories.get(origin);
        if (history == null) {
            throw new IllegalStateException("no history for a known log " + origin);
        }
        return history;
    }

    private static boolean isSigned(AddCheckpointRequest request, NoteVerifier log) {
        try {
            return !request.checkpoint().verifiedBy(log).isEmpty();
        } catch (AttestationException badSignature) {
            return false;
        }
    }

    private void closeAfter(AttestationException cause) {
        try {
            close();
        } catch (AttestationException closing) {
            cause.addSuppressed(closing);
        }
    }

    @Override
    public synchronized void close() throws AttestationException {
        try {
            for (CosignedHistory history : histories.values()) {
                history.close();
            }
            lock.close();
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot close: " + e, e);
        }
    }
}
