package org.bitwitness.attestation.dsse;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * The leaf that stands for a signed envelope in a log: a Rekor v2 entry, sorted keys, no spaces.
 *
 * <pre>
 * {"apiVersion":"0.0.2","kind":"dsse","spec":{"dsseV002":{"payloadHash":{"algorithm":"SHA2_256","digest":"…"},
 *  "signatures":[{"content":"…","verifier":{"keyDetails":"PKIX_ECDSA_P256_SHA_256","publicKey":{"rawBytes":"…"}}}]}}}
 * </pre>
 *
 * <p>Both kinds of Rekor v2 are read: {@code dsse} names the payload's digest; {@code hashedrekord} names the digest of
 * the pre-authentication encoding, from which the payload cannot be looked up. Only {@code dsse} is written.
 *
 * @param kind which of the two
 * @param digest of the payload ({@code DSSE}) or of its pre-authentication encoding ({@code HASHEDREKORD})
 * @param signature ECDSA signature as DER
 * @param key the signer
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record LogEntry(Kind kind, Sha256 digest, byte[] signature, VerifyingKey key) {
    /** Version of both kinds. */
    public static final String API_VERSION = "0.0.2";

    /** A leaf is far smaller; a limit before parsing. */
    public static final int MAX_LEAF_BYTES = 4096;

    private static final String HASH = "SHA2_256";
    private static final String KEY_DETAILS = "PKIX_ECDSA_P256_SHA_256";

    /** Rekor's names of entry kinds. */
    public enum Kind {
        DSSE("dsse", "dsseV002"),
        HASHEDREKORD("hashedrekord", "hashedRekordV002");

        private final String word;
        private final String spec;

        Kind(String word, String spec) {
            this.word = word;
            this.spec = spec;
        }

        /** Rekor's spelling. */
        public String word() {
            return word;
        }
    }

    public LogEntry {
        signature = signature.clone();
    }

    /**
     * The entry for an envelope with one signature, by {@code key}.
     *
     * @throws AttestationException refused: not exactly one signature, not one of this key, or not of an in-toto
     *     statement. The entry does not say the payload's type, so readers could not check a signature over another
     */
    public static LogEntry ofDsse(DsseEnvelope envelope, VerifyingKey key) throws AttestationException {
        DsseSignature only = envelope.onlySignature();
        VerifiedPayload verified = envelope.verify(key);
        if (!verified.payloadType().equals(DsseEnvelope.IN_TOTO)) {
            throw AttestationException.refused("payloadType: expected %s, found \"%s\": a log takes in-toto statements"
                    .formatted(DsseEnvelope.IN_TOTO, Excerpt.of(verified.payloadType())));
        }
        return new LogEntry(Kind.DSSE, verified.digest(), only.bytes(), key);
    }

    /**
     * Reads a leaf in its one spelling.
     *
     * @throws AttestationException malformed: anything but an entry of a known kind with one P-256 signature
     */
    public static LogEntry parse(byte[] leaf) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_LEAF_BYTES));
            LogEntry entry = of(JsonFields.of("leaf", reader.readObject(leaf, "leaf")));
            if (!Arrays.equals(entry.leaf(), leaf)) {
                throw AttestationException.malformed(
                        "leaf: expected sorted keys, no spaces, standard base64 and no other"
                                + " field, found another spelling");
            }
            return entry;
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private static LogEntry of(JsonFields fields) throws ProtocolException, AttestationException {
        fields.word("apiVersion", List.of(API_VERSION));
        Kind kind = fields.word("kind", List.of(Kind.DSSE.word, Kind.HASHEDREKORD.word))
                        .equals(Kind.DSSE.word)
                ? Kind.DSSE
                : Kind.HASHEDREKORD;
        JsonFields spec = fields.object("spec").object(kind.spec);
        return switch (kind) {
            case DSSE -> {
                List<JsonFields> signatures = spec.objects("signatures", 2);
                if (signatures.size() != 1) {
                    throw AttestationException.malformed(
                            "leaf: expected exactly one signature, found " + signatures.size());
                }
                yield of(kind, spec.object("payloadHash"), signatures.getFirst());
            }
            case HASHEDREKORD -> of(kind, spec.object("data"), spec.object("signature"));
        };
    }

    private static LogEntry of(Kind kind, JsonFields hash, JsonFields signature)
            throws ProtocolException, AttestationException {
        hash.word("algorithm", List.of(HASH));
        byte[] digest = Base64Text.decode(hash.text("digest"), hash.path() + ".digest");
        if (digest.length != Sha256.BYTES) {
            throw AttestationException.malformed(hash.path() + ": expected 32 bytes, found " + digest.length);
        }
        JsonFields verifier = signature.object("verifier");
        verifier.word("keyDetails", List.of(KEY_DETAILS));
        byte[] spki = Base64Text.decode(verifier.object("publicKey").text("rawBytes"), verifier.path());
        byte[] bytes = Base64Text.decode(signature.text("content"), signature.path() + ".content");
        return new LogEntry(kind, Sha256.of(digest), bytes, VerifyingKey.ofSpki(spki));
    }

    /** The bytes that the log hashes. */
    public byte[] leaf() {
        Json.Obj hash = Json.object()
                .put("algorithm", HASH)
                .put("digest", Base64Text.encode(digest.bytes()))
                .build();
        Json.Obj verifier = Json.object()
                .put("keyDetails", KEY_DETAILS)
                .put(
                        "publicKey",
                        Json.object()
                                .put("rawBytes", Base64Text.encode(key.spki()))
                                .build())
                .build();
        Json.Obj signed = Json.object()
                .put("content", Base64Text.encode(signature))
                .put("verifier", verifier)
                .build();
        Json.Obj spec = switch (kind) {
            case DSSE ->
                Json.object()
                        .put("payloadHash", hash)
                        .put("signatures", new Json.Arr(List.of(signed)))
                        .build();
            case HASHEDREKORD ->
                Json.object().put("data", hash).put("signature", signed).build();
        };
        return Json.object()
                .put("apiVersion", API_VERSION)
                .put("kind", kind.word)
                .put("spec", Json.object().put(kind.spec, spec).build())
                .build()
                .toText()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** RFC 9162 leaf hash: SHA-256(0x00 ‖ leaf). */
    public Sha256 leafHash() {
        return MerkleTree.leafHash(leaf());
    }

    /** SHA-256 of the payload, under which a log stores it; empty where the entry does not say. */
    public Optional<Sha256> payloadDigest() {
        return switch (kind) {
            case DSSE -> Optional.of(digest);
            case HASHEDREKORD -> Optional.empty();
        };
    }

    /** True when this entry stands for exactly this envelope: same payload, same and only signature. */
    public boolean standsFor(DsseEnvelope envelope) {
        Sha256 expected = switch (kind) {
            case DSSE -> envelope.payloadDigest();
            case HASHEDREKORD -> Hashing.sha256(envelope.pae());
        };
        return envelope.signatures().size() == 1
                && Arrays.equals(envelope.signatures().getFirst().bytes(), signature)
                && expected.equals(digest);
    }

    /**
     * Puts an envelope together again from the leaf and the payload that the log stores, and checks it.
     *
     * @throws AttestationException refused: the payload is another one, or the signature does not hold
     */
    public DsseEnvelope envelope(byte[] payload) throws AttestationException {
        DsseEnvelope envelope = unverified(payload);
        envelope.verify(key);
        return envelope;
    }

    /**
     * The same, for readers that want only what was signed.
     *
     * @throws AttestationException refused: the payload is another one, or the signature does not hold
     */
    public VerifiedPayload verified(byte[] payload) throws AttestationException {
        return unverified(payload).verify(key);
    }

    private DsseEnvelope unverified(byte[] payload) throws AttestationException {
        DsseEnvelope envelope = DsseEnvelope.inToto(payload, signature);
        if (!standsFor(envelope)) {
            throw AttestationException.refused(
                    "payload: expected SHA-256 %s, found %s".formatted(digest, Hashing.sha256(payload)));
        }
        return envelope;
    }

    @Override
    public byte[] signature() {
        return signature.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LogEntry that
                && kind == that.kind
                && digest.equals(that.digest)
                && key.equals(that.key)
                && Arrays.equals(signature, that.signature);
    }

    @Override
    public int hashCode() {
        return digest.hashCode();
    }
}
