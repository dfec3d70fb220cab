package org.bitwitness.attestation.note;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * The public half of a note key. Its text, a <em>vkey</em>, is what people put into policies:
 *
 * <pre>example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k</pre>
 *
 * that is the name, the key id in hex, and base64 of the type byte and the 32-byte Ed25519 key.
 */
public final class NoteVerifier {
    static final int ED25519_SIGNATURE_BYTES = 64;
    static final int COSIGNATURE_BYTES = Long.BYTES + ED25519_SIGNATURE_BYTES;

    private final String name;
    private final NoteKeyType type;
    private final byte[] publicKey;

    private NoteVerifier(String name, NoteKeyType type, byte[] publicKey) {
        this.name = name;
        this.type = type;
        this.publicKey = publicKey.clone();
    }

    /**
     * A verifier from a raw key.
     *
     * @throws AttestationException if the name cannot stand in a note, or the key is not a point of full order in its
     *     one encoding
     */
    public static NoteVerifier of(String name, NoteKeyType type, byte[] publicKey) throws AttestationException {
        if (!NoteText.isKeyName(name)) {
            throw AttestationException.malformed(
                    "a key name has 1 to 255 characters and no spaces, controls or plus, got \"" + Excerpt.of(name)
                            + "\"");
        }
        if (publicKey.length != Ed25519.PUBLIC_KEY_SIZE || !Ed25519.validatePublicKeyFull(publicKey, 0)) {
            throw AttestationException.malformed("the key of \"" + name
                    + "\" should be a 32-byte Ed25519 point of full order in canonical form, is not");
        }
        return new NoteVerifier(name, type, publicKey);
    }

    /** Reads a vkey. A key id that does not follow from name and key is refused. */
    public static NoteVerifier parse(String vkey) throws AttestationException {
        String[] parts = vkey.split("\\+", 3);
        if (parts.length != 3) {
            throw AttestationException.malformed("a vkey is name+keyid+base64, got \"" + Excerpt.of(vkey) + "\"");
        }
        byte[] typed = NoteText.base64(parts[2])
                .filter(bytes -> bytes.length > 0)
                .orElseThrow(() -> AttestationException.malformed(
                        "the last part of vkey \"" + Excerpt.of(vkey) + "\" should be base64, is not"));
        NoteKeyType type = NoteKeyType.ofByte(typed[0])
                .orElseThrow(() -> AttestationException.malformed(
                        "vkey \"%s\" has key type 0x%02x; this version knows 0x01 (Ed25519) and 0x04 (cosignature)"
                                .formatted(Excerpt.of(vkey), typed[0])));
        byte[] key = new byte[typed.length - 1];
        System.arraycopy(typed, 1, key, 0, key.length);
        NoteVerifier verifier = of(parts[0], type, key);
        if (!NoteText.keyIdText(verifier.keyId()).equals(parts[1])) {
            throw AttestationException.malformed("vkey of \"%s\" should have key id %s, has \"%s\": it was mistyped"
                    .formatted(verifier.name, NoteText.keyIdText(verifier.keyId()), Excerpt.of(parts[1])));
        }
        return verifier;
    }

    public String name() {
        return name;
    }

    public NoteKeyType type() {
        return type;
    }

    /** The 32 bytes of the Ed25519 key, a copy. */
    public byte[] publicKey() {
        return publicKey.clone();
    }

    /** First four bytes of SHA-256(name ‖ 0x0A ‖ type ‖ key), big-endian. */
    public int keyId() {
        return ByteBuffer.wrap(identityDigest().bytes()).getInt();
    }

    /** The whole of SHA-256(name ‖ 0x0A ‖ type ‖ key): what Sigstore bundles call the log's key id. */
    public Sha256 identityDigest() {
        return Hashing.sha256(
                (name + "\n").getBytes(StandardCharsets.UTF_8), new byte[] {(byte) type.typeByte()}, publicKey);
    }

    /** The text form; {@link #parse} reads it back. */
    public String vkey() {
        byte[] typed = ByteBuffer.allocate(1 + publicKey.length)
                .put((byte) type.typeByte())
                .put(publicKey)
                .array();
        return name + "+" + NoteText.keyIdText(keyId()) + "+"
                + Base64.getEncoder().encodeToString(typed);
    }

    /** True if the signature line carries this key's name and id. */
    public boolean claims(NoteSignature signature) {
        return signature.keyId() == keyId() && signature.name().equals(name);
    }

    /** Checks a signature's bytes over a note's text, whichever type this key has. */
    public boolean verifies(String text, NoteSignature signature) {
        return switch (type) {
            case ED25519 -> verifiesRaw(text.getBytes(StandardCharsets.UTF_8), signature.bytes());
            case COSIGNATURE_V1 -> verifiesCosignature(text, signature.bytes());
        };
    }

    /** When a cosignature says it was made; empty for a plain signature and for a malformed one. Not verified here. */
    public Optional<Instant> claimedTime(NoteSignature signature) {
        byte[] bytes = signature.bytes();
        if (type != NoteKeyType.COSIGNATURE_V1 || bytes.length != COSIGNATURE_BYTES) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.ofEpochSecond(ByteBuffer.wrap(bytes).getLong()));
        } catch (DateTimeException beyondCalendar) {
            return Optional.empty();
        }
    }

    static byte[] cosignedMessage(String text, long epochSecond) {
        return ("cosignature/v1\ntime " + epochSecond + "\n" + text).getBytes(StandardCharsets.UTF_8);
    }

    private boolean verifiesCosignature(String text, byte[] blob) {
        if (blob.length != COSIGNATURE_BYTES) {
            return false;
        }
        ByteBuffer in = ByteBuffer.wrap(blob);
        long epochSecond = in.getLong();
        byte[] signature = new byte[ED25519_SIGNATURE_BYTES];
        in.get(signature);
        return epochSecond >= 0 && verifiesRaw(cosignedMessage(text, epochSecond), signature);
    }

    private boolean verifiesRaw(byte[] message, byte[] signature) {
        return signature.length == ED25519_SIGNATURE_BYTES
                && Ed25519.verify(signature, 0, publicKey, 0, message, 0, message.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NoteVerifier that && vkey().equals(that.vkey());
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, keyId());
    }

    @Override
    public String toString() {
        return vkey();
    }
}
