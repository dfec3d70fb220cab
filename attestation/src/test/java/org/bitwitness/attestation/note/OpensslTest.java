package org.bitwitness.attestation.note;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.attestation.OtherSoftware;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** openssl reads our Ed25519 key files and judges our signatures, and we read the key files it makes. */
class OpensslTest {
    @TempDir
    Path folder;

    @BeforeEach
    void requireOpenssl() throws Exception {
        OtherSoftware.require("openssl", "version");
    }

    private boolean accepts(Path publicPem, byte[] message, byte[] signature) throws Exception {
        Files.write(folder.resolve("message"), message);
        Files.write(folder.resolve("signature"), signature);
        OtherSoftware.Result result = OtherSoftware.run(
                folder,
                List.of(
                        "openssl",
                        "pkeyutl",
                        "-verify",
                        "-pubin",
                        "-inkey",
                        publicPem.toString(),
                        "-rawin",
                        "-in",
                        "message",
                        "-sigfile",
                        "signature"));
        return result.exitCode() == 0 && result.output().contains("Verified Successfully");
    }

    @Test
    void acceptsALogsSignatureAndAWitnessesAndNoChangedOne() throws Exception {
        String text = new Checkpoint("log.example/one", 3, Hashing.sha256("root")).text();
        byte[] seed = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(seed, (byte) 5);
        NoteSigner log = NoteSigner.ofSeed("log.example/one", NoteKeyType.ED25519, seed);
        NoteKeyFolder.write(folder.resolve("log"), log);
        Path publicPem = folder.resolve("log/public.pem");
        byte[] signature = log.sign(text).bytes();
        assertTrue(accepts(publicPem, text.getBytes(UTF_8), signature));
        assertTrue(!accepts(publicPem, (text + "x").getBytes(UTF_8), signature));

        NoteSigner witness = NoteSigner.ofSeed("w.example", NoteKeyType.COSIGNATURE_V1, seed);
        byte[] blob = witness.cosign(text, Instant.ofEpochSecond(1_790_000_000)).bytes();
        byte[] bare = Arrays.copyOfRange(blob, Long.BYTES, blob.length);
        String message = "cosignature/v1\ntime 1790000000\n" + text;
        assertTrue(accepts(publicPem, message.getBytes(UTF_8), bare));
        assertTrue(
                !accepts(publicPem, message.replace("1790000000", "1790000001").getBytes(UTF_8), bare));
        bare[5] ^= 1;
        assertTrue(!accepts(publicPem, message.getBytes(UTF_8), bare));
    }

    @Test
    void aKeyThatOpensslMadeSignsHere() throws Exception {
        Path key = Files.createDirectory(folder.resolve("made"));
        OtherSoftware.Result made = OtherSoftware.run(
                folder, List.of("openssl", "genpkey", "-algorithm", "ed25519", "-out", "made/private.pem"));
        assertEquals(0, made.exitCode(), made.output());
        OtherSoftware.Result raw = OtherSoftware.run(
                folder,
                List.of(
                        "openssl",
                        "pkey",
                        "-in",
                        "made/private.pem",
                        "-pubout",
                        "-outform",
                        "DER",
                        "-out",
                        "public.der"));
        assertEquals(0, raw.exitCode(), raw.output());
        byte[] der = Files.readAllBytes(folder.resolve("public.der"));
        NoteVerifier verifier = NoteVerifier.of(
                "log.example/made", NoteKeyType.ED25519, Arrays.copyOfRange(der, der.length - 32, der.length));
        Files.writeString(key.resolve("vkey"), verifier.vkey() + "\n");
        NoteSigner signer = NoteKeyFolder.signer(key);
        assertTrue(verifier.verifies("text\n", signer.sign("text\n")));

        NoteSigner other = NoteSigner.ofSeed("log.example/made", NoteKeyType.ED25519, new byte[32]);
        Files.writeString(key.resolve("vkey"), other.verifier().vkey() + "\n");
        org.bitwitness.attestation.Planted.assertRefused("is not the public half", () -> NoteKeyFolder.signer(key));
    }
}
