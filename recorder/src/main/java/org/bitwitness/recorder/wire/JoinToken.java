package org.bitwitness.recorder.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Set;
import org.bitwitness.protocol.Sha256;

/**
 * What a worker on another host needs to join a run: the secret that lets it in, and the coordinator's certificate, so that
 * it shows the secret to nobody else. Made for one run and worth nothing after it.
 */
public final class JoinToken {
    private static final String WORD = "bitwitness-join-v1";
    private static final int MAX_BYTES = 256;

    private final Sha256 secret;
    private final Sha256 fingerprint;

    /** @param fingerprint SHA-256 of the coordinator's certificate */
    public JoinToken(Sha256 secret, Sha256 fingerprint) {
        this.secret = secret;
        this.fingerprint = fingerprint;
    }

    public static JoinToken create(Sha256 fingerprint) {
        byte[] secret = new byte[Sha256.BYTES];
        new SecureRandom().nextBytes(secret);
        return new JoinToken(Sha256.of(secret), fingerprint);
    }

    public Sha256 secret() {
        return secret;
    }

    public Sha256 fingerprint() {
        return fingerprint;
    }

    /** Compares in a time that does not depend on how much is equal. */
    public boolean isSecret(Sha256 shown) {
        return MessageDigest.isEqual(secret.bytes(), shown.bytes());
    }

    /** Writes a new file that only its owner can read. */
    public void write(Path file) throws IOException {
        Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rw-------");
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes =
                posix ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(owner)} : new FileAttribute<?>[0];
        String line = WORD + " " + secret.hex() + " " + fingerprint.hex() + "\n";
        try (var channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            channel.write(StandardCharsets.US_ASCII.encode(line));
        }
    }

    /**
     * Reads what {@link #write} wrote; the file may be a pipe.
     *
     * @throws IOException if it is something else
     */
    public static JoinToken read(Path file) throws IOException {
        byte[] bytes;
        try (var in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES);
        }
        String[] words = new String(bytes, StandardCharsets.US_ASCII).strip().split(" ", -1);
        if (words.length != 3 || !words[0].equals(WORD) || !Sha256.isHex(words[1]) || !Sha256.isHex(words[2])) {
            throw new IOException(file + " should hold the line " + WORD
                    + " SECRET FINGERPRINT that `bitwitness train --hosts` wrote; copy its token file to this host");
        }
        return new JoinToken(Sha256.ofHex(words[1]), Sha256.ofHex(words[2]));
    }

    /** Never the secret. */
    @Override
    public String toString() {
        return "token of the coordinator " + fingerprint;
    }
}
