package org.bitwitness.attestation.bundle;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;

/** A log in memory with two witnesses, for tests of bundles that need no files. */
public final class LittleLog {
    public static final String ORIGIN = "log.example/bitwitness";

    private final NoteSigner log;
    private final List<NoteSigner> witnesses;
    private final List<LogEntry> entries = new ArrayList<>();

    public LittleLog() {
        this(ORIGIN, 7);
    }

    /** Another origin or seed byte makes another log. */
    public LittleLog(String origin, int seed) {
        log = signer(origin, NoteKeyType.ED25519, seed);
        witnesses = List.of(
                signer("w1.example", NoteKeyType.COSIGNATURE_V1, 8),
                signer("w2.example", NoteKeyType.COSIGNATURE_V1, 9));
    }

    public NoteSigner key() {
        return log;
    }

    /** Appends and returns the index. */
    public long append(DsseEnvelope envelope, VerifyingKey key) throws AttestationException {
        entries.add(LogEntry.ofDsse(envelope, key));
        return entries.size() - 1L;
    }

    /** Both witnesses must cosign. */
    public WitnessPolicy policy() throws AttestationException {
        String text = "log %s https://%s%nwitness w1 %s%nwitness w2 %s%ngroup both all w1 w2%nquorum both%n"
                .formatted(
                        log.verifier().vkey(),
                        log.verifier().name(),
                        witnesses.get(0).verifier().vkey(),
                        witnesses.get(1).verifier().vkey());
        return WitnessPolicy.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The whole log's proof for an entry, with this many witnesses' cosignatures. */
    public TlogEntry prove(long index, int cosigners) {
        List<Sha256> leaves = entries.stream().map(LogEntry::leafHash).toList();
        Sha256 root = MerkleTree.root(leaves);
        String text = new Checkpoint(log.verifier().name(), leaves.size(), root).text();
        List<NoteSignature> signatures = new ArrayList<>(List.of(log.sign(text)));
        for (NoteSigner witness : witnesses.subList(0, cosigners)) {
            signatures.add(witness.cosign(text, Instant.ofEpochSecond(1_790_000_000)));
        }
        return TlogEntry.of(
                log.verifier(),
                entries.get((int) index),
                MerkleTree.inclusionProof(leaves, index),
                root,
                new String(new SignedNote(text, signatures).toBytes(), StandardCharsets.UTF_8));
    }

    public SigstoreBundle bundle(DsseEnvelope envelope, VerifyingKey key, long index) {
        return SigstoreBundle.of(key, envelope, Optional.of(prove(index, 2)));
    }

    private static NoteSigner signer(String name, NoteKeyType type, int seed) {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        try {
            return NoteSigner.ofSeed(name, type, bytes);
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }
}
