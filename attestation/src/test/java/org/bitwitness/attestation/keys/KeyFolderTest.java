package org.bitwitness.attestation.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFolderTest {
    @TempDir
    Path folder;

    @Test
    void keepsThePrivateFileFromOthersAndReadsItBack() throws Exception {
        KeyFolder keys = KeyFolder.createP256(folder.resolve("keys/alice"), new SecureRandom());
        assertEquals(keys.verifyingKey(), keys.signingKey().verifyingKey());
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(keys.path().resolve(KeyFolder.PRIVATE_FILE))));
        assertEquals(List.of(), keys.warnings());
        try (var left = Files.list(folder.resolve("keys"))) {
            assertEquals(List.of(folder.resolve("keys/alice")), left.toList(), "no temporary folder stays behind");
        }
    }

    @Test
    void warnsOfAPrivateFileThatOthersCanRead() throws Exception {
        KeyFolder keys = KeyFolder.createP256(folder.resolve("alice"), new SecureRandom());
        Files.setPosixFilePermissions(
                keys.path().resolve(KeyFolder.PRIVATE_FILE), PosixFilePermissions.fromString("rw-r-----"));
        assertTrue(keys.warnings().get(0).contains("chmod 600"));
    }

    @Test
    void leavesNoPrivateKeyBehindWhenTheFolderCannotBeWritten() throws Exception {
        Map<String, String> secret = Map.of(KeyFolder.PRIVATE_FILE, "secret");
        Map<String, String> unwritable = Map.of("no such folder/public.pem", "public");
        assertThrows(AttestationException.class, () -> KeyFolder.create(folder.resolve("alice"), secret, unwritable));
        try (var left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void neverOverwritesAKey() throws Exception {
        KeyFolder keys = KeyFolder.createP256(folder.resolve("alice"), new SecureRandom());
        String before = KeyFolder.readText(keys.path().resolve(KeyFolder.PRIVATE_FILE));
        AttestationException e = assertThrows(
                AttestationException.class, () -> KeyFolder.createP256(folder.resolve("alice"), new SecureRandom()));
        assertEquals(AttestationException.Kind.ENVIRONMENT, e.kind());
        assertEquals(before, KeyFolder.readText(keys.path().resolve(KeyFolder.PRIVATE_FILE)));
    }

    @Test
    void saysWhichFileIsMissingOrTooLarge() throws Exception {
        Path missing = folder.resolve("nobody.pem");
        AttestationException e = assertThrows(AttestationException.class, () -> KeyFolder.readVerifyingKey(missing));
        assertEquals(AttestationException.Kind.ENVIRONMENT, e.kind());
        assertTrue(e.getMessage().contains("nobody.pem"), e.getMessage());
        Path large = Files.write(folder.resolve("large.pem"), new byte[5000]);
        AttestationException tooLarge =
                assertThrows(AttestationException.class, () -> KeyFolder.readVerifyingKey(large));
        assertTrue(tooLarge.getMessage().contains("at most 4096"), tooLarge.getMessage());
    }
}
