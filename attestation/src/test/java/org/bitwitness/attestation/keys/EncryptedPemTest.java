package org.bitwitness.attestation.keys;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.bitwitness.attestation.OtherSoftware;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys under a passphrase, ours and openssl's. */
class EncryptedPemTest {
    private static final char[] PASSPHRASE = "correct horse".toCharArray();

    @TempDir
    Path folder;

    @Test
    void opensWithItsPassphraseAndNoOther() throws Exception {
        SigningKey key = key(5);
        KeyFolder made = KeyFolder.create(folder.resolve("k"), key, PASSPHRASE);
        String text = Files.readString(folder.resolve("k/private.pem"));
        assertTrue(EncryptedPem.isEncrypted(text), text);
        assertEquals(key.pem(), made.signingKey(file -> PASSPHRASE).pem());
        assertRefused("does not open this key", () -> made.signingKey(file -> "wrong".toCharArray()));
        assertRefused("BITWITNESS_PASSPHRASE_FILE", made::signingKey);
        assertThrows(
                IllegalArgumentException.class,
                () -> EncryptedPem.encrypt(new byte[1], new char[0], new SecureRandom()));
    }

    @Test
    void protectsLogAndWitnessKeysToo() throws Exception {
        NoteSigner signer = NoteSigner.create("w.example", NoteKeyType.COSIGNATURE_V1, new SecureRandom());
        NoteKeyFolder.write(folder.resolve("w"), signer, PASSPHRASE);
        assertEquals(
                signer.verifier(),
                NoteKeyFolder.signer(folder.resolve("w"), file -> PASSPHRASE).verifier());
        assertRefused("is encrypted", () -> NoteKeyFolder.signer(folder.resolve("w")));
    }

    @Test
    void opensslReadsOursAndWeReadItsOwn() throws Exception {
        OtherSoftware.require("openssl", "version");
        SigningKey key = key(6);
        KeyFolder.create(folder.resolve("k"), key, PASSPHRASE);
        String plain = OtherSoftware.run(
                        folder, List.of("openssl", "pkey", "-in", "k/private.pem", "-passin", "pass:correct horse"))
                .output();
        assertEquals(key.pem(), plain);
        Files.writeString(folder.resolve("plain.pem"), key.pem());
        OtherSoftware.run(
                folder,
                List.of(
                        "openssl",
                        "pkcs8",
                        "-topk8",
                        "-v2",
                        "aes-256-cbc",
                        "-v2prf",
                        "hmacWithSHA256",
                        "-in",
                        "plain.pem",
                        "-out",
                        "theirs.pem",
                        "-passout",
                        "pass:correct horse"));
        assertEquals(
                key.pem(),
                KeyFolder.readSigningKey(folder.resolve("theirs.pem"), file -> PASSPHRASE)
                        .pem());
    }

    @Test
    void refusesAKeyThatAsksForEndlessWork() throws Exception {
        String pem = EncryptedPem.encrypt(new byte[64], PASSPHRASE, new SecureRandom());
        byte[] der = Pem.decode(EncryptedPem.LABEL, pem);
        for (int i = 0; i + 5 <= der.length; i++) {
            // INTEGER of three bytes, 600,000.
            if (der[i] == 2
                    && der[i + 1] == 3
                    && der[i + 2] == 0x09
                    && der[i + 3] == 0x27
                    && der[i + 4] == (byte) 0xc0) {
                der[i + 2] = 0x7f;
                der[i + 3] = (byte) 0xff;
            }
        }
        String planted = Pem.encode(EncryptedPem.LABEL, der);
        assertRefused("this one for 83", () -> EncryptedPem.decrypt(planted, PASSPHRASE));
        assertRefused(
                "no encrypted PKCS#8 key",
                () -> EncryptedPem.decrypt(Pem.encode(EncryptedPem.LABEL, new byte[100]), PASSPHRASE));
    }
}
