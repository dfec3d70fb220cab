package org.bitwitness.attestation.keys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;

/**
 * A folder that holds one key: {@code private.pem} (mode 0600) and {@code public.pem}; a log or witness key also has
 * its {@code vkey} text beside them. The folder appears complete or not at all.
 */
public record KeyFolder(Path path) {
    public static final String PRIVATE_FILE = "private.pem";
    public static final String PUBLIC_FILE = "public.pem";

    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    /** Makes a new P-256 key in a new folder. */
    public static KeyFolder createP256(Path folder, SecureRandom random) throws AttestationException {
        return create(folder, SigningKey.generate(random));
    }

    /** Writes a P-256 key under a passphrase into a new folder. */
    public static KeyFolder create(Path folder, SigningKey key, char[] passphrase) throws AttestationException {
        return create(
                folder,
                Map.of(PRIVATE_FILE, key.encryptedPem(passphrase, new SecureRandom())),
                Map.of(PUBLIC_FILE, key.verifyingKey().pem()));
    }

    /** Writes a P-256 key into a new folder. */
    public static KeyFolder create(Path folder, SigningKey key) throws AttestationException {
        return create(
                folder,
                Map.of(PRIVATE_FILE, key.pem()),
                Map.of(PUBLIC_FILE, key.verifyingKey().pem()));
    }

    /**
     * Writes a new key folder: files in a temporary sibling first, synced, then one atomic rename.
     *
     * @param secretFiles name to text, written with mode 0600
     * @param publicFiles name to text
     * @throws AttestationException environment: the folder exists already, or cannot be written
     */
    public static KeyFolder create(Path folder, Map<String, String> secretFiles, Map<String, String> publicFiles)
            throws AttestationException {
        Path target = folder.toAbsolutePath();
        if (Files.exists(target, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            throw AttestationException.environment(
                    "%s exists already and keys are never overwritten: choose another name".formatted(folder));
        }
        try {
            Path parent = java.util.Objects.requireNonNull(target.getParent());
            Files.createDirectories(parent);
            Path temporary = Files.createTempDirectory(parent, "." + target.getFileName() + "-");
            boolean whole = false;
            try {
                for (Map.Entry<String, String> file : secretFiles.entrySet()) {
                    write(temporary.resolve(file.getKey()), file.getValue(), "rw-------");
                }
                for (Map.Entry<String, String> file : publicFiles.entrySet()) {
                    write(temporary.resolve(file.getKey()), file.getValue(), "rw-r--r--");
                }
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
                whole = true;
            } finally {
                if (!whole) {
                    remove(temporary);
                }
            }
            return new KeyFolder(folder);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "cannot write the key folder %s: %s".formatted(folder, e),
                    e);
        }
    }

    /** A key that nobody is told about must not lie about on the disk. */
    private static void remove(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(temporary);
    }

    /** The private key, unencrypted. */
    public SigningKey signingKey() throws AttestationException {
        return signingKey(Passphrase.NONE);
    }

    /** The private key. */
    public SigningKey signingKey(Passphrase passphrase) throws AttestationException {
        return readSigningKey(path.resolve(PRIVATE_FILE), passphrase);
    }

    /** The public key. */
    public VerifyingKey verifyingKey() throws AttestationException {
        return readVerifyingKey(path.resolve(PUBLIC_FILE));
    }

    /**
     * What a careful person would want to know before using this folder: files that others can read, and a public file
     * that belongs to another private key. Empty when all is well.
     */
    public List<String> warnings() throws AttestationException {
        List<String> warnings = new ArrayList<>();
        Path secret = path.resolve(PRIVATE_FILE);
        try {
            if (posix(secret)) {
                Set<PosixFilePermission> open = EnumSet.copyOf(OTHERS);
                open.retainAll(Files.getPosixFilePermissions(secret));
                if (!open.isEmpty()) {
                    warnings.add(
                            "%s can be read or written by others: chmod 600 it, or replace the key".formatted(secret));
                }
            }
        } catch (IOException e) {
            throw unreadable(secret, e);
        }
        return warnings;
    }

    /** Reads a private key file. */
    public static SigningKey readSigningKey(Path file, Passphrase passphrase) throws AttestationException {
        try {
            String text = readText(file);
            return EncryptedPem.isEncrypted(text)
                    ? SigningKey.ofPem(Pem.encode(Pem.PRIVATE_KEY, EncryptedPem.decrypt(text, passphrase.of(file))))
                    : SigningKey.ofPem(text);
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    /** The public key at a path: a key folder, or a PEM file. */
    public static VerifyingKey verifyingKeyAt(Path folderOrPem) throws AttestationException {
        return Files.isDirectory(folderOrPem)
                ? new KeyFolder(folderOrPem).verifyingKey()
                : readVerifyingKey(folderOrPem);
    }

    /** Reads a public key file. */
    public static VerifyingKey readVerifyingKey(Path file) throws AttestationException {
        try {
            return VerifyingKey.ofPem(readText(file));
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    /** Reads a key file as text, refusing one that is too large to be a key. */
    public static String readText(Path file) throws AttestationException {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw AttestationException.malformed("should be a plain file, is something else");
            }
            long bytes = Files.size(file);
            if (bytes > Pem.MAX_CHARACTERS) {
                throw AttestationException.malformed(
                        "expected a key file of at most %d bytes, got %d".formatted(Pem.MAX_CHARACTERS, bytes));
            }
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw AttestationException.environment("no such key file; bitwitness key new makes one");
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static AttestationException unreadable(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return AttestationException.environment("there is no key " + file + "; bitwitness key new makes one");
        }
        return new AttestationException(
                AttestationException.Kind.ENVIRONMENT, "cannot read %s: %s".formatted(file, e.getMessage()), e);
    }

    private static void write(Path file, String text, String mode) throws IOException {
        FileAttribute<?>[] attributes = posix(java.util.Objects.requireNonNull(file.getParent()))
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
        try (FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static boolean posix(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }
}
