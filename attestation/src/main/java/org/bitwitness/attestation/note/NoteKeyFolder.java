package org.bitwitness.attestation.note;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.EncryptedPem;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.Passphrase;
import org.bitwitness.attestation.keys.Pem;

/**
 * A note key as files: {@code private.pem} (PKCS#8, as {@code openssl genpkey -algorithm ed25519} writes it),
 * {@code public.pem} (SubjectPublicKeyInfo) and {@code vkey} (one line, the name and type come from it).
 */
public final class NoteKeyFolder {
    private static final byte[] PKCS8_HEAD = HexFormat.of().parseHex("302e020100300506032b657004220420");
    private static final byte[] SPKI_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

    /** Name of the file with the public half as a vkey. */
    public static final String VKEY_FILE = "vkey";

    private NoteKeyFolder() {}

    /**
     * Writes a key into a new folder; the private file is readable by its owner only.
     *
     * @throws AttestationException if the folder exists or cannot be written
     */
    public static void write(Path folder, NoteSigner signer) throws AttestationException {
        write(folder, signer, Pem.encode(Pem.PRIVATE_KEY, concat(PKCS8_HEAD, signer.seed())));
    }

    /** Writes a key under a passphrase. */
    public static void write(Path folder, NoteSigner signer, char[] passphrase) throws AttestationException {
        write(folder, signer, EncryptedPem.encrypt(concat(PKCS8_HEAD, signer.seed()), passphrase, new SecureRandom()));
    }

    private static void write(Path folder, NoteSigner signer, String secretPem) throws AttestationException {
        NoteVerifier verifier = signer.verifier();
        KeyFolder.create(
                folder,
                Map.of(KeyFolder.PRIVATE_FILE, secretPem),
                Map.of(KeyFolder.PUBLIC_FILE, publicPem(verifier), VKEY_FILE, verifier.vkey() + "\n"));
    }

    /** Reads the secret half, unencrypted. The vkey must belong to it. */
    public static NoteSigner signer(Path folder) throws AttestationException {
        return signer(folder, Passphrase.NONE);
    }

    /** Reads the secret half. The vkey must belong to it. */
    public static NoteSigner signer(Path folder, Passphrase passphrase) throws AttestationException {
        NoteVerifier verifier = verifier(folder);
        Path file = folder.resolve(KeyFolder.PRIVATE_FILE);
        byte[] der = secret(file, passphrase);
        boolean known = der.length == PKCS8_HEAD.length + NoteSigner.SEED_BYTES
                && Arrays.equals(Arrays.copyOf(der, PKCS8_HEAD.length), PKCS8_HEAD);
        if (!known) {
            throw AttestationException.malformed(file + " should hold a PKCS#8 Ed25519 key, holds something else");
        }
        NoteSigner signer = NoteSigner.ofSeed(
                verifier.name(), verifier.type(), Arrays.copyOfRange(der, PKCS8_HEAD.length, der.length));
        if (!signer.verifier().equals(verifier)) {
            throw AttestationException.refused(folder.resolve(VKEY_FILE) + " is not the public half of " + file
                    + ": it should read " + signer.verifier().vkey());
        }
        return signer;
    }

    /** Reads the public half from {@code vkey}. */
    public static NoteVerifier verifier(Path folder) throws AttestationException {
        return vkey(folder.resolve(VKEY_FILE));
    }

    /** Reads a vkey from a file, or from {@code vkey} in a folder. */
    public static NoteVerifier verifierAt(Path fileOrFolder) throws AttestationException {
        return Files.isDirectory(fileOrFolder) ? verifier(fileOrFolder) : vkey(fileOrFolder);
    }

    private static NoteVerifier vkey(Path file) throws AttestationException {
        try {
            return NoteVerifier.parse(KeyFolder.readText(file).strip());
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    /** SubjectPublicKeyInfo PEM of a note key, for tools such as openssl. */
    public static String publicPem(NoteVerifier verifier) {
        return Pem.encode(Pem.PUBLIC_KEY, concat(SPKI_HEAD, verifier.publicKey()));
    }

    private static byte[] secret(Path file, Passphrase passphrase) throws AttestationException {
        try {
            String text = KeyFolder.readText(file);
            return EncryptedPem.isEncrypted(text)
                    ? EncryptedPem.decrypt(text, passphrase.of(file))
                    : Pem.decode(Pem.PRIVATE_KEY, text);
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    private static byte[] concat(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }
}
