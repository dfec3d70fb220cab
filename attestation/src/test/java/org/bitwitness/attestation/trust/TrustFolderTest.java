package org.bitwitness.attestation.trust;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A trust folder whose files and folders are not what they should be: nothing is silently left out. */
class TrustFolderTest {
    @TempDir
    Path trust;

    @BeforeEach
    void makeFolder() throws Exception {
        NoteSigner log = signer("log.example", NoteKeyType.ED25519, 1);
        List<WitnessIdentity> witnesses = List.of(
                new WitnessIdentity(
                        "a", signer("a.example", NoteKeyType.COSIGNATURE_V1, 2).verifier(), Optional.empty()),
                new WitnessIdentity(
                        "b", signer("b.example", NoteKeyType.COSIGNATURE_V1, 3).verifier(), Optional.empty()));
        Files.writeString(
                policy(),
                TrustPolicy.textRequiringAll(new LogIdentity(log.verifier(), Optional.empty()), witnesses),
                StandardCharsets.UTF_8);
        Files.createDirectory(trust.resolve(TrustPolicy.REGISTRARS));
        Files.writeString(
                trust.resolve(TrustPolicy.REGISTRARS).resolve("r.pem"),
                key(4).verifyingKey().pem());
    }

    private Path policy() {
        return trust.resolve(TrustPolicy.POLICY_FILE);
    }

    private static NoteSigner signer(String name, NoteKeyType type, int seed) throws Exception {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        bytes[0] = (byte) seed;
        return NoteSigner.ofSeed(name, type, bytes);
    }

    @Test
    void readsAFolderOfPlainFiles() throws Exception {
        assertEquals(1, TrustPolicy.load(trust).registrars().size());
        assertEquals(0, TrustPolicy.load(trust).auditors().size());
    }

    @Test
    void refusesNamesThatPeopleCannotTellApart() throws Exception {
        // Without a UTF-8 locale the JVM cannot name such files.
        assumeTrue(Charset.forName(System.getProperty("sun.jnu.encoding")).equals(StandardCharsets.UTF_8));
        Path auditors = Files.createDirectories(trust.resolve(TrustPolicy.AUDITORS));
        Files.writeString(
                auditors.resolve("ren\u00e9.pem"), key(5).verifyingKey().pem());
        assertEquals(1, TrustPolicy.load(trust).auditors().size());
        for (String twin : List.of("rene\u0301.pem", "Ren\u00e9.pem", "\uff52en\u00e9.pem")) {
            Path second = Files.writeString(
                    auditors.resolve(twin), key(6).verifyingKey().pem());
            // A disk that takes the two names for one has no such folder.
            assumeFalse(Files.isSameFile(auditors.resolve("rené.pem"), second));
            assertRefused("look the same", () -> TrustPolicy.load(trust));
            Files.delete(second);
        }
        for (String strange : List.of("bob\u202e.pem", "b\u200bob.pem", "bob\u0007.pem")) {
            Path second = Files.writeString(
                    auditors.resolve(strange), key(6).verifyingKey().pem());
            assertRefused("nobody sees", () -> TrustPolicy.load(trust));
            Files.delete(second);
        }
        Files.writeString(auditors.resolve("bob.pem"), key(6).verifyingKey().pem());
        assertEquals(2, TrustPolicy.load(trust).auditors().size());
    }

    @Test
    void refusesAFileOrALinkToNowhereInThePlaceOfAFolderOfKeys() throws Exception {
        Path registrars = trust.resolve(TrustPolicy.REGISTRARS);
        Files.delete(registrars.resolve("r.pem"));
        Files.delete(registrars);
        Files.writeString(registrars, "");
        assertRefused("should be a folder of keys", () -> TrustPolicy.load(trust));
        Files.delete(registrars);
        Files.createSymbolicLink(registrars, trust.resolve("nowhere"));
        assertRefused("should be a folder of keys", () -> TrustPolicy.load(trust));
    }

    /** A device or a named pipe may never end, or never begin. */
    @Test
    void readsThePolicyFromAPlainFileOnly() throws Exception {
        Files.delete(policy());
        Files.createSymbolicLink(policy(), Path.of("/dev/null"));
        assertRefused("should be a plain file", () -> TrustPolicy.load(trust));
    }
}
