package org.bitwitness.attestation.note;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import org.bitwitness.attestation.AttestationException;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** The secret half of a note key. Never printed. */
public final class NoteSigner {
    public static final int SEED_BYTES = Ed25519.SECRET_KEY_SIZE;

    private final NoteVerifier verifier;
    private final byte[] seed;

    private NoteSigner(NoteVerifier verifier, byte[] seed) {
        this.verifier = verifier;
        this.seed = seed.clone();
    }

    /**
     * The key with a given secret.
     *
     * @throws AttestationException if the name cannot stand in a note
     */
    public static NoteSigner ofSeed(String name, NoteKeyType type, byte[] seed) throws AttestationException {
        if (seed.length != SEED_BYTES) {
            throw new IllegalArgumentException("an Ed25519 secret key has 32 bytes, got " + seed.length);
        }
        byte[] publicKey = new byte[Ed25519.PUBLIC_KEY_SIZE];
        Ed25519.generatePublicKey(seed, 0, publicKey, 0);
        return new NoteSigner(NoteVerifier.of(name, type, publicKey), seed);
    }

    /** A new key from {@code random}. */
    public static NoteSigner create(String name, NoteKeyType type, SecureRandom random) throws AttestationException {
        byte[] seed = new byte[SEED_BYTES];
        random.nextBytes(seed);
        return ofSeed(name, type, seed);
    }

    public NoteVerifier verifier() {
        return verifier;
    }

    byte[] seed() {
        return seed.clone();
    }

    /** Signs a note's text with a plain Ed25519 key. */
    public NoteSignature sign(String text) {
        requireType(NoteKeyType.ED25519);
        return new NoteSignature(verifier.name(), verifier.keyId(), raw(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Signs a checkpoint's text, saying that at {@code time} it was the newest consistent one this witness knew. */
    public NoteSignature cosign(String text, Instant time) {
        requireType(NoteKeyType.COSIGNATURE_V1);
        long epochSecond = time.getEpochSecond();
        if (epochSecond < 0) {
            throw new IllegalArgumentException("a cosignature's time is not before 1970, got " + time);
        }
        byte[] blob = ByteBuffer.allocate(NoteVerifier.COSIGNATURE_BYTES)
                .putLong(epochSecond)
                .put(raw(NoteVerifier.cosignedMessage(text, epochSecond)))
                .array();
        return new NoteSignature(verifier.name(), verifier.keyId(), blob);
    }

    private void requireType(NoteKeyType needed) {
        if (verifier.type() != needed) {
            throw new IllegalStateException(
                    "key \"" + verifier.name() + "\" is of type " + verifier.type() + ", this needs " + needed);
        }
    }

    private byte[] raw(byte[] message) {
        byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
        Ed25519.sign(seed, 0, message, 0, message.length, signature, 0);
        return signature;
    }

    @Override
    public String toString() {
        return "NoteSigner of " + verifier.vkey();
    }
}
