package org.bitwitness.attestation.bundle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.Base64Text;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.merkle.InclusionProof;

/**
 * A bundle's word that a log holds its envelope: the leaf, the way from the leaf to a root, and the log's signed
 * checkpoint with that root.
 *
 * @param logKeyId SHA-256(origin ‖ 0x0A ‖ 0x01 ‖ public key)
 * @param leaf what the log hashed
 * @param proof index, size and siblings
 * @param root the root that the proof leads to
 * @param checkpoint note text with the log's signature and the witnesses'
 */
public record TlogEntry(Sha256 logKeyId, LogEntry leaf, InclusionProof proof, Sha256 root, String checkpoint) {
    private static final int MAX_PATH = 64;

    /** An entry from a log's receipt for it. */
    public static TlogEntry of(NoteVerifier logKey, LogReceipt receipt) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(receipt.checkpoint().text());
        String note = new String(receipt.checkpoint().toBytes(), StandardCharsets.UTF_8);
        return of(logKey, LogEntry.parse(receipt.leaf()), receipt.inclusion(), checkpoint.root(), note);
    }

    /** An entry from its parts. */
    public static TlogEntry of(
            NoteVerifier logKey, LogEntry leaf, InclusionProof proof, Sha256 root, String checkpoint) {
        return new TlogEntry(logKey.identityDigest(), leaf, proof, root, checkpoint);
    }

    static TlogEntry of(JsonFields fields) throws ProtocolException, AttestationException {
        JsonFields kindVersion = fields.object("kindVersion");
        LogEntry leaf = LogEntry.parse(
                Base64Text.decode(fields.text("canonicalizedBody"), fields.path() + ".canonicalizedBody"));
        if (!kindVersion.text("kind").equals(leaf.kind().word())
                || !kindVersion.text("version").equals(LogEntry.API_VERSION)) {
            throw AttestationException.malformed("%s: kindVersion says %s %s, the leaf is %s %s"
                    .formatted(
                            fields.path(),
                            kindVersion.text("kind"),
                            kindVersion.text("version"),
                            leaf.kind().word(),
                            LogEntry.API_VERSION));
        }
        JsonFields proof = fields.object("inclusionProof");
        long index = decimal(proof, "logIndex");
        long size = decimal(proof, "treeSize");
        if (index >= size) {
            throw AttestationException.malformed(
                    "%s: logIndex %d is not below treeSize %d".formatted(proof.path(), index, size));
        }
        if (decimal(fields, "logIndex") != index) {
            throw AttestationException.malformed("%s: logIndex is %d here and %d in the inclusion proof"
                    .formatted(fields.path(), decimal(fields, "logIndex"), index));
        }
        List<Sha256> path = new ArrayList<>();
        for (String hash : proof.has("hashes") ? proof.texts("hashes", MAX_PATH) : List.<String>of()) {
            path.add(digest(hash, proof.path() + ".hashes"));
        }
        return new TlogEntry(
                digest(fields.object("logId").text("keyId"), fields.path() + ".logId"),
                leaf,
                new InclusionProof(index, size, path),
                digest(proof.text("rootHash"), proof.path() + ".rootHash"),
                proof.object("checkpoint").text("envelope"));
    }

    /**
     * Checks everything that the policy can check.
     *
     * @return the checkpoint, now known to be signed by the log and cosigned as the policy asks
     * @throws AttestationException refused: another envelope, a checkpoint that the policy does not accept, a proof
     *     that does not lead to its root
     */
    public VerifiedCheckpoint verify(DsseEnvelope envelope, WitnessPolicy policy) throws AttestationException {
        if (!leaf.standsFor(envelope)) {
            throw AttestationException.refused("the log entry stands for another envelope: expected payload SHA-256 %s"
                            .formatted(envelope.payloadDigest())
                    + " and the bundle's signature, found " + leaf.digest());
        }
        VerifiedCheckpoint verified = policy.verify(SignedNote.parse(checkpoint.getBytes(StandardCharsets.UTF_8)));
        Sha256 expectedKey = verified.log().key().identityDigest();
        if (!expectedKey.equals(logKeyId)) {
            throw AttestationException.refused("logId: expected %s (log %s), found %s"
                    .formatted(expectedKey, verified.log().origin(), logKeyId));
        }
        Sha256 signedRoot = verified.checkpoint().root();
        if (verified.checkpoint().size() != proof.treeSize() || !signedRoot.equals(root)) {
            throw AttestationException.refused(
                    "the inclusion proof is for a tree of %d entries with root %s, the checkpoint is for %d with root %s"
                            .formatted(
                                    proof.treeSize(),
                                    root,
                                    verified.checkpoint().size(),
                                    signedRoot));
        }
        if (!proof.proves(leaf.leafHash(), signedRoot)) {
            throw AttestationException.refused(
                    "the inclusion proof does not lead from this entry at index %d to the root of the checkpoint"
                            .formatted(proof.index()));
        }
        return verified;
    }

    Json.Obj toJson() {
        Json.Obj inclusion = Json.object()
                .put("checkpoint", Json.object().put("envelope", checkpoint).build())
                .put(
                        "hashes",
                        Json.texts(proof.path().stream()
                                .map(hash -> Base64Text.encode(hash.bytes()))
                                .toList()))
                .put("logIndex", Long.toString(proof.index()))
                .put("rootHash", Base64Text.encode(root.bytes()))
                .put("treeSize", Long.toString(proof.treeSize()))
                .build();
        return Json.object()
                .put("canonicalizedBody", Base64Text.encode(leaf.leaf()))
                .put("inclusionProof", inclusion)
                .put(
                        "kindVersion",
                        Json.object()
                                .put("kind", leaf.kind().word())
                                .put("version", LogEntry.API_VERSION)
                                .build())
                .put(
                        "logId",
                        Json.object()
                                .put("keyId", Base64Text.encode(logKeyId.bytes()))
                                .build())
                .put("logIndex", Long.toString(proof.index()))
                .build();
    }

    /** Protobuf's JSON writes 64-bit numbers as strings; one spelling, no sign, no leading zero. */
    private static long decimal(JsonFields fields, String key) throws ProtocolException {
        String text = fields.text(key);
        if (!text.matches("0|[1-9][0-9]{0,17}")) {
            throw fields.refuse(key, "should be a decimal number in a string");
        }
        return Long.parseLong(text);
    }

    private static Sha256 digest(String base64, String what) throws AttestationException {
        byte[] bytes = Base64Text.decode(base64, what);
        if (bytes.length != Sha256.BYTES) {
            throw AttestationException.malformed("%s: expected 32 bytes, found %d".formatted(what, bytes.length));
        }
        return Sha256.of(bytes);
    }
}
