package org.bitwitness.attestation.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * Where an entry stands in a log and the proof of it. Nothing in it is trusted until {@link #verify}.
 *
 * @param inclusion index, tree size and siblings
 * @param checkpoint the note whose tree the proof is for, with cosignatures
 * @param leaf the entry's bytes
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record LogReceipt(InclusionProof inclusion, SignedNote checkpoint, byte[] leaf) {
    private static final int MAX_BYTES = 2 << 20;
    private static final int MAX_PATH = 63;

    public LogReceipt {
        leaf = leaf.clone();
    }

    public long index() {
        return inclusion.index();
    }

    public long treeSize() {
        return inclusion.treeSize();
    }

    @Override
    public byte[] leaf() {
        return leaf.clone();
    }

    public Sha256 leafHash() {
        return MerkleTree.leafHash(leaf);
    }

    /**
     * Checks the checkpoint under a policy, then the proof against that checkpoint.
     *
     * @throws AttestationException if no witnessed checkpoint of a trusted log holds this leaf at this index
     */
    public VerifiedCheckpoint verify(WitnessPolicy policy) throws AttestationException {
        VerifiedCheckpoint verified = policy.verify(checkpoint);
        Checkpoint tree = verified.checkpoint();
        if (inclusion.treeSize() != tree.size()) {
            throw AttestationException.refused(
                    "the proof is for a tree of %d entries, the checkpoint beside it has %d: make the proof again for that checkpoint (`bitwitness log prove`)"
                            .formatted(inclusion.treeSize(), tree.size()));
        }
        if (!inclusion.proves(leafHash(), tree.root())) {
            throw AttestationException.refused(
                    "the proof does not lead from leaf %s at index %d to the checkpoint's root %s (%d siblings, %d needed): leaf, index or proof was changed"
                            .formatted(
                                    leafHash(),
                                    index(),
                                    tree.root(),
                                    inclusion.path().size(),
                                    InclusionProof.pathLength(index(), treeSize())));
        }
        return verified;
    }

    /** JSON as the log server answers it. */
    public Json.Obj toJson() {
        List<String> path = inclusion.path().stream()
                .map(hash -> Base64.getEncoder().encodeToString(hash.bytes()))
                .toList();
        return Json.object()
                .put("index", index())
                .put("treeSize", treeSize())
                .put("inclusionProof", Json.texts(path))
                .put("checkpoint", checkpoint.toString())
                .put("leaf", Base64.getEncoder().encodeToString(leaf))
                .build();
    }

    /** Reads {@link #toJson}. */
    public static LogReceipt parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of("receipt", reader.readObject(json, "receipt"));
            long index = fields.integer("index", 0, Long.MAX_VALUE - 1);
            long treeSize = fields.integer("treeSize", index + 1, Long.MAX_VALUE);
            List<Sha256> path = new ArrayList<>();
            for (String hash : fields.texts("inclusionProof", MAX_PATH)) {
                path.add(hash(hash, "receipt: inclusionProof"));
            }
            SignedNote note = SignedNote.parse(fields.text("checkpoint").getBytes(StandardCharsets.UTF_8));
            byte[] leaf = NoteText.base64(fields.text("leaf"))
                    .orElseThrow(() -> AttestationException.malformed("receipt: leaf should be base64"));
            fields.end();
            return new LogReceipt(new InclusionProof(index, treeSize, path), note, leaf);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    static Sha256 hash(String base64, String what) throws AttestationException {
        return NoteText.base64(base64)
                .filter(bytes -> bytes.length == Sha256.BYTES)
                .map(Sha256::of)
                .orElseThrow(() -> AttestationException.malformed(
                        what + " should be base64 of 32 bytes, got \"" + Excerpt.of(base64) + "\""));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LogReceipt that
                && inclusion.equals(that.inclusion)
                && checkpoint.equals(that.checkpoint)
                && Arrays.equals(leaf, that.leaf);
    }

    @Override
    public int hashCode() {
        return 31 * inclusion.hashCode() + Arrays.hashCode(leaf);
    }
}
