package org.bitwitness.attestation.dsse;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * A DSSE envelope: a body, its type, and signatures over both.
 *
 * <pre>
 * {"payload":"aGVsbG8gd29ybGQ=","payloadType":"http://example.com/HelloWorld","signatures":[{"sig":"…"}]}
 * </pre>
 *
 * <p>What is signed is the pre-authentication encoding ({@link #pae()}), so a signature for one type never holds for
 * another. Unknown fields are ignored; the hint {@code keyid} decides nothing.
 *
 * @see <a href="https://github.com/secure-systems-lab/dsse">DSSE v1</a>
 */
public final class DsseEnvelope {
    /** The payload type of every in-toto statement. */
    public static final String IN_TOTO = "application/vnd.in-toto+json";

    /** Largest body that is read or written. */
    public static final int MAX_PAYLOAD_BYTES = 2 << 20;

    /** More signatures than this are refused before any is checked. */
    public static final int MAX_SIGNATURES = 16;

    private static final int MAX_SIGNATURE_BYTES = 256;
    private static final int MAX_TYPE_CHARACTERS = 256;

    private final String payloadType;
    private final byte[] payload;
    private final List<DsseSignature> signatures;

    private DsseEnvelope(String payloadType, byte[] payload, List<DsseSignature> signatures) {
        this.payloadType = payloadType;
        this.payload = payload.clone();
        this.signatures = List.copyOf(signatures);
    }

    /** Signs a body. */
    public static DsseEnvelope sign(String payloadType, byte[] body, SigningKey key) {
        if (body.length == 0 || body.length > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "a payload has 1 to %d bytes, got %d".formatted(MAX_PAYLOAD_BYTES, body.length));
        }
        DsseSignature signature =
                new DsseSignature(Optional.of(key.verifyingKey().id().hex()), key.sign(pae(payloadType, body)));
        return new DsseEnvelope(payloadType, body, List.of(signature));
    }

    /** Reads an envelope's JSON. Nothing is verified yet. */
    public static DsseEnvelope parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(2 * MAX_PAYLOAD_BYTES));
            return of(JsonFields.of("envelope", reader.readObject(json, "envelope")));
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    /** Reads an envelope that stands inside other JSON. Nothing is verified yet. */
    public static DsseEnvelope of(JsonFields fields) throws AttestationException, ProtocolException {
        String type = fields.text("payloadType");
        if (type.isEmpty() || type.length() > MAX_TYPE_CHARACTERS) {
            throw AttestationException.malformed("%s: payloadType has 1 to %d characters, got %d"
                    .formatted(fields.path(), MAX_TYPE_CHARACTERS, type.length()));
        }
        byte[] body = Base64Text.decode(fields.text("payload"), fields.path() + ".payload");
        if (body.length == 0 || body.length > MAX_PAYLOAD_BYTES) {
            throw AttestationException.malformed(
                    "%s: a payload has 1 to %d bytes, got %d".formatted(fields.path(), MAX_PAYLOAD_BYTES, body.length));
        }
        List<DsseSignature> signatures = new ArrayList<>();
        for (JsonFields signature : fields.objects("signatures", MAX_SIGNATURES)) {
            byte[] bytes = Base64Text.decode(signature.text("sig"), signature.path() + ".sig");
            if (bytes.length == 0 || bytes.length > MAX_SIGNATURE_BYTES) {
                throw AttestationException.malformed("%s: a signature has 1 to %d bytes, got %d"
                        .formatted(signature.path(), MAX_SIGNATURE_BYTES, bytes.length));
            }
            signatures.add(new DsseSignature(signature.optionalText("keyid"), bytes));
        }
        if (signatures.isEmpty()) {
            throw AttestationException.malformed(fields.path() + ": expected at least one signature, found none");
        }
        return new DsseEnvelope(type, body, signatures);
    }

    /** An in-toto envelope from its parts, not verified. */
    static DsseEnvelope inToto(byte[] payload, byte[] signature) {
        return new DsseEnvelope(IN_TOTO, payload, List.of(new DsseSignature(Optional.empty(), signature)));
    }

    public List<DsseSignature> signatures() {
        return signatures;
    }

    /** The body, not verified: for storing and hashing, never for deciding. */
    public byte[] unverifiedPayload() {
        return payload.clone();
    }

    /** SHA-256 of the body: the name of this payload in a log. */
    public Sha256 payloadDigest() {
        return Hashing.sha256(payload);
    }

    /** The one signature that our envelopes have. */
    public DsseSignature onlySignature() throws AttestationException {
        if (signatures.size() != 1) {
            throw AttestationException.refused(
                    "expected an envelope with exactly one signature, found " + signatures.size());
        }
        return signatures.getFirst();
    }

    /**
     * Checks that {@code key} signed this envelope.
     *
     * @return the body, now verified
     * @throws AttestationException refused: none of the signatures is that key's
     */
    public VerifiedPayload verify(VerifyingKey key) throws AttestationException {
        byte[] message = pae();
        for (DsseSignature signature : signatures) {
            if (key.verify(message, signature.bytes())) {
                return new VerifiedPayload(payloadType, payload, key);
            }
        }
        throw AttestationException.refused(
                "the signature is not one of key %s over this payload: the bytes were changed, or another key signed"
                        .formatted(key.id()));
    }

    /** The bytes that are signed: {@code DSSEv1 SP len(type) SP type SP len(body) SP body}. */
    public byte[] pae() {
        return pae(payloadType, payload);
    }

    /** As {@link #pae()}, before there is an envelope. */
    public static byte[] pae(String payloadType, byte[] body) {
        byte[] type = payloadType.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + type.length + 32);
        // Not String.format: its digits follow the default locale.
        out.writeBytes(("DSSEv1 " + type.length + " ").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(type);
        out.writeBytes((" " + body.length + " ").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** JSON with sorted keys and standard base64. */
    public Json.Obj toJson() {
        List<Json> list = new ArrayList<>();
        for (DsseSignature signature : signatures) {
            Json.Builder one = Json.object();
            signature.keyId().ifPresent(id -> one.put("keyid", id));
            list.add(one.put("sig", Base64Text.encode(signature.bytes())).build());
        }
        return Json.object()
                .put("payload", Base64Text.encode(payload))
                .put("payloadType", payloadType)
                .put("signatures", new Json.Arr(list))
                .build();
    }

    /** UTF-8 of {@link #toJson()}. */
    public byte[] toBytes() {
        return toJson().toText().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DsseEnvelope that
                && payloadType.equals(that.payloadType)
                && Arrays.equals(payload, that.payload)
                && signatures.equals(that.signatures);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(payload);
    }

    @Override
    public String toString() {
        return "envelope of %s, payload %s".formatted(payloadType, payloadDigest());
    }
}
