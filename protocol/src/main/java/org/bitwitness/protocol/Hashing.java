package org.bitwitness.protocol;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The one place that makes SHA-256 digests. */
public final class Hashing {
    private static final int BUFFER_BYTES = 1 << 16;

    private Hashing() {}

    /** A fresh digest, for streaming. */
    public static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, this one has not", e);
        }
    }

    /** Digest of the concatenation of {@code parts}. */
    public static Sha256 sha256(byte[]... parts) {
        MessageDigest digest = newDigest();
        for (byte[] part : parts) {
            digest.update(part);
        }
        return Sha256.of(digest.digest());
    }

    public static Sha256 sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    public static Sha256 finish(MessageDigest digest) {
        return Sha256.of(digest.digest());
    }

    /** Digest of everything left in a stream; memory stays at one buffer. */
    public static Sha256 sha256(InputStream in) throws IOException {
        MessageDigest digest = newDigest();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            digest.update(buffer, 0, n);
        }
        return finish(digest);
    }

    /** Digest of a file's bytes. */
    public static Sha256 file(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return sha256(in);
        }
    }
}
