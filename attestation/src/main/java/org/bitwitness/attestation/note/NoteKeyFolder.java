package org.bitwitness.attestation.note;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;

/**
 * A note key as files: {@code private.pem} (PKCS#8, as {@code openssl genpkey -algorithm ed25519} writes it),
 * {@code public.pem} (SubjectPublicKeyInfo) and {@code vkey} (one line, the name and type come from it).
 */
public final class NoteKeyFolder {
    private static final byte[] PKCS8_HEAD = HexFormat.of().parseHex("302e020100300506032b657004220420");
    private static final byte[] SPKI_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");
    private static final long MAX_FILE_BYTES = 4096;

    private NoteKeyFolder() {}

    /**
     * Writes a key into a folder, which is made if needed; the private file is readable by its owner only.
     *
     * @throws AttestationException if the folder has a key already or cannot be written
     */
    public static void write(Path folder, NoteSigner signer) throws AttestationException {
        try {
            Files.createDirectories(folder);
            Path secret = folder.resolve("private.pem");
            Files.createFile(
                    secret, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(secret, pem("PRIVATE KEY", concat(PKCS8_HEAD, signer.seed())));
            NoteVerifier verifier = signer.verifier();
            Files.writeString(
                    folder.resolve("public.pem"),
                    pem("PUBLIC KEY", concat(SPKI_HEAD, verifier.publicKey())),
                    StandardOpenOption.CREATE_NEW);
            Files.writeString(folder.resolve("vkey"), verifier.vkey() + "\n", StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "cannot write a new key into " + folder + " (" + e + "): choose a folder that has no key yet",
                    e);
        }
    }

    /** Reads the secret half. The vkey must belong to it. */
    public static NoteSigner signer(Path folder) throws AttestationException {
        NoteVerifier verifier = verifier(folder);
        Path file = folder.resolve("private.pem");
        byte[] der = unpem(read(file), "PRIVATE KEY", file);
        boolean known = der.length == PKCS8_HEAD.length + NoteSigner.SEED_BYTES
                && Arrays.equals(Arrays.copyOf(der, PKCS8_HEAD.length), PKCS8_HEAD);
        if (!known) {
            throw AttestationException.malformed(
                    file + " should hold an unencrypted PKCS#8 Ed25519 key, holds something else");
        }
        NoteSigner signer = NoteSigner.ofSeed(
                verifier.name(), verifier.type(), Arrays.copyOfRange(der, PKCS8_HEAD.length, der.length));
        if (!signer.verifier().equals(verifier)) {
            throw AttestationException.refused(folder.resolve("vkey") + " is not the public half of " + file
                    + ": it should read " + signer.verifier().vkey());
        }
        return signer;
    }

    /** Reads the public half from {@code vkey}. */
    public static NoteVerifier verifier(Path folder) throws AttestationException {
        return vkey(folder.resolve("vkey"));
    }

    /** Reads a vkey from a file, or from {@code vkey} in a folder. */
    public static NoteVerifier verifierAt(Path fileOrFolder) throws AttestationException {
        return Files.isDirectory(fileOrFolder) ? verifier(fileOrFolder) : vkey(fileOrFolder);
    }

    private static NoteVerifier vkey(Path file) throws AttestationException {
        String text = read(file).strip();
        try {
            return NoteVerifier.parse(text);
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    /** SubjectPublicKeyInfo PEM of a note key, for tools such as openssl. */
    public static String publicPem(NoteVerifier verifier) {
        return pem("PUBLIC KEY", concat(SPKI_HEAD, verifier.publicKey()));
    }

    private static String read(Path file) throws AttestationException {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw AttestationException.malformed(
                        file + " is no key file: it has over " + MAX_FILE_BYTES + " bytes");
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    file + " is not there: make a key with `bitwitness key new`, or name the right folder",
                    e);
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot read " + file + ": " + e, e);
        }
    }

    private static String pem(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    private static byte[] unpem(String text, String label, Path file) throws AttestationException {
        String head = "-----BEGIN " + label + "-----\n";
        String foot = "\n-----END " + label + "-----";
        String trimmed = text.strip();
        if (trimmed.startsWith(head) && trimmed.endsWith(foot) && trimmed.length() > head.length() + foot.length()) {
            String body = trimmed.substring(head.length(), trimmed.length() - foot.length());
            byte[] der = NoteText.base64(body.replace("\n", "")).orElse(new byte[0]);
            if (der.length > 0) {
                return der;
            }
        }
        throw AttestationException.malformed(file + " should hold one PEM block \"" + label + "\", does not");
    }

    private static byte[] concat(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }
}
