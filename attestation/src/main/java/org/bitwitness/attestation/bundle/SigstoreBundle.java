package org.bitwitness.attestation.bundle;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * A Sigstore bundle v0.3 with a plain public key: an envelope with exactly one signature, the hint of the key that made
 * it, and at most one log entry.
 *
 * <pre>
 * {"dsseEnvelope":{…},"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json",
 *  "verificationMaterial":{"publicKey":{"hint":"…"},"tlogEntries":[{…}]}}
 * </pre>
 *
 * @param hint SHA-256 of the PEM text of the key that is said to have signed; the signature decides
 * @param envelope with one signature
 * @param entry the log's answer; empty for a signature that was never logged, as a model's may be
 * @see <a href="https://docs.sigstore.dev/about/bundle/">Sigstore bundle format</a>
 */
public record SigstoreBundle(Sha256 hint, DsseEnvelope envelope, Optional<TlogEntry> entry) {
    /** Media type of version 0.3. */
    public static final String MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";

    /** Largest file that is read. */
    public static final int MAX_BYTES = 8 << 20;

    public SigstoreBundle {
        if (envelope.signatures().size() != 1) {
            throw new IllegalArgumentException("a bundle's envelope has exactly one signature, got "
                    + envelope.signatures().size());
        }
    }

    /** A bundle for an envelope that {@code key} signed. */
    public static SigstoreBundle of(VerifyingKey key, DsseEnvelope envelope, Optional<TlogEntry> entry) {
        return new SigstoreBundle(key.id(), envelope, entry);
    }

    /**
     * A bundle for an envelope that {@code key} signed and a log took. The log's answer is checked before it becomes
     * evidence.
     *
     * @throws AttestationException refused: the receipt does not hold under the policy, or is for another statement
     */
    public static SigstoreBundle of(VerifyingKey key, DsseEnvelope envelope, LogReceipt receipt, WitnessPolicy policy)
            throws AttestationException {
        VerifiedCheckpoint checkpoint = receipt.verify(policy);
        if (!LogEntry.parse(receipt.leaf()).standsFor(envelope)) {
            throw AttestationException.refused("the log answered with an entry for another statement");
        }
        return of(key, envelope, Optional.of(TlogEntry.of(checkpoint.log().key(), receipt)));
    }

    /**
     * Reads a bundle. Nothing is verified yet.
     *
     * @throws AttestationException malformed: another version, a certificate in place of a key, more than one signature
     *     or log entry, a duplicate key, trailing bytes
     */
    public static SigstoreBundle parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            return of(JsonFields.of("bundle", reader.readObject(json, "bundle")));
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private static SigstoreBundle of(JsonFields fields) throws ProtocolException, AttestationException {
        fields.word("mediaType", List.of(MEDIA_TYPE));
        JsonFields material = fields.object("verificationMaterial");
        for (String other : List.of("certificate", "x509CertificateChain")) {
            if (material.has(other)) {
                throw AttestationException.malformed(
                        "%s: expected publicKey, found %s; this version verifies plain keys"
                                .formatted(material.path(), other));
            }
        }
        List<JsonFields> entries =
                material.has("tlogEntries") ? material.objects("tlogEntries", 1) : List.<JsonFields>of();
        Optional<TlogEntry> entry =
                entries.isEmpty() ? Optional.empty() : Optional.of(TlogEntry.of(entries.getFirst()));
        DsseEnvelope envelope = DsseEnvelope.of(fields.object("dsseEnvelope"));
        envelope.onlySignature();
        return new SigstoreBundle(material.object("publicKey").digest("hint"), envelope, entry);
    }

    /** The JSON, keys sorted. */
    public Json.Obj toJson() {
        Json.Obj material = Json.object()
                .put("publicKey", Json.object().put("hint", hint.hex()).build())
                .put(
                        "tlogEntries",
                        new Json.Arr(
                                entry.map(TlogEntry::toJson).map(List::<Json>of).orElse(List.of())))
                .build();
        return Json.object()
                .put("dsseEnvelope", envelope.toJson())
                .put("mediaType", MEDIA_TYPE)
                .put("verificationMaterial", material)
                .build();
    }

    /** The file: the JSON in one line and a newline. */
    public byte[] toBytes() {
        return (toJson().toText() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Checks the signature.
     *
     * @throws AttestationException refused: the bundle names another key, or the signature does not hold
     */
    public VerifiedPayload verifySignature(VerifyingKey key) throws AttestationException {
        if (!key.id().equals(hint)) {
            throw AttestationException.refused(
                    "the bundle names key %s, this is key %s: give the signer's public.pem".formatted(hint, key.id()));
        }
        return envelope.verify(key);
    }

    /** Checks signature, log entry, checkpoint and witnesses. */
    public Logged verify(VerifyingKey key, WitnessPolicy policy) throws AttestationException {
        VerifiedPayload payload = verifySignature(key);
        TlogEntry logged = entry.orElseThrow(
                () -> AttestationException.refused("the bundle has no log entry: ask its author for the logged one"));
        if (!logged.leaf().key().equals(key)) {
            throw AttestationException.refused("the log entry names another key than the bundle: %s, not %s"
                    .formatted(logged.leaf().key().id(), key.id()));
        }
        return new Logged(
                payload, logged.verify(envelope, policy), logged.proof().index());
    }

    /**
     * A payload that is signed and in a log that the policy accepts.
     *
     * @param payload the verified body
     * @param checkpoint the checkpoint it is included in
     * @param index its place in the log
     */
    public record Logged(VerifiedPayload payload, VerifiedCheckpoint checkpoint, long index) {}
}
