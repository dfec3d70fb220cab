package org.bitwitness.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogCommandsTest {
    @TempDir
    Path folder;

    private Path log = Path.of("");
    private Path policy = Path.of("");

    @BeforeEach
    void writeALog() throws Exception {
        log = folder.resolve("log");
        policy = folder.resolve("policy.txt");
        NoteSigner signer = NoteSigner.create("log.example/cli", NoteKeyType.ED25519, new SecureRandom());
        NoteKeyFolder.write(folder.resolve("key"), signer);
        Files.writeString(policy, "log " + signer.verifier().vkey() + "\nquorum none\n");
        append(0, 5);
    }

    private void append(int from, int to) throws Exception {
        SigningKey key = SigningKey.generate(new SecureRandom());
        NoteSigner signer = NoteKeyFolder.signer(folder.resolve("key"));
        WitnessPolicy unwitnessed = WitnessPolicy.parse(Files.readAllBytes(policy));
        try (LocalTileLog writer =
                LocalTileLog.open(log, new LocalTileLog.Settings(signer, unwitnessed, CheckpointCosigner.NONE))) {
            for (int i = from; i < to; i++) {
                byte[] body = ("{\"number\":" + i + "}").getBytes(StandardCharsets.UTF_8);
                writer.append(DsseEnvelope.sign(DsseEnvelope.IN_TOTO, body, key), key.verifyingKey());
            }
        }
    }

    private CommandLineRun run(String command, String... rest) {
        List<String> words = new ArrayList<>(List.of("log", command));
        words.addAll(List.of(rest));
        words.addAll(List.of("--policy", policy.toString()));
        return CommandLineRun.of(words.toArray(String[]::new));
    }

    @Test
    void showsTheCheckpointAndEveryEntry() {
        CommandLineRun shown = run("show", log.toString());
        assertEquals(0, shown.exitCode(), shown.err());
        assertTrue(shown.out().contains("log.example/cli"), shown.out());
        CommandLineRun json = run("show", log.toString(), "--json");
        assertTrue(json.out().contains("\"index\" : 4"), json.out());
    }

    @Test
    void aMissingPayloadIsInconclusiveAndAChangedOneIsRefused() throws Exception {
        Path payload =
                log.resolve("payload").resolve(Hashing.sha256("{\"number\":2}").hex());
        byte[] kept = Files.readAllBytes(payload);
        Files.delete(payload);
        CommandLineRun missing = run("fsck", log.toString());
        assertEquals(3, missing.exitCode(), missing.err());
        assertTrue(missing.out().contains("[2]"), missing.out());
        Files.writeString(payload, "{\"number\":3}");
        CommandLineRun changed = run("fsck", log.toString());
        assertEquals(2, changed.exitCode());
        assertTrue(changed.err().contains("entry 2"), changed.err());
        Files.write(payload, kept);
        assertEquals(0, run("fsck", log.toString()).exitCode());
    }

    @Test
    void namesTheFirstFileThatDiffers() throws Exception {
        Path tile = log.resolve("tile/0/000.p/5");
        byte[] bytes = Files.readAllBytes(tile);
        bytes[3 * 32] ^= 1;
        Files.write(tile, bytes);
        CommandLineRun fsck = run("fsck", log.toString());
        assertEquals(2, fsck.exitCode());
        assertTrue(fsck.err().contains("entry 3"), fsck.err());
        assertTrue(fsck.err().contains("tile/0/000.p/5"), fsck.err());
    }

    @Test
    void provesAgainstTheCheckpointThatWasSeenAndAdvisesForALaterEntry() throws Exception {
        Path seen = Files.copy(log.resolve("checkpoint"), folder.resolve("seen"));
        append(5, 8);
        Path file = folder.resolve("entry-1.tlog-proof");
        CommandLineRun made =
                run("prove", log.toString(), "--index", "1", "--checkpoint", seen.toString(), "--out", file.toString());
        assertEquals(0, made.exitCode(), made.err());
        assertTrue(made.out().contains("entry 1 of 5"), made.out());
        assertEquals(0, run("prove", "--check", file.toString()).exitCode());

        CommandLineRun later = run("prove", log.toString(), "--index", "6", "--checkpoint", seen.toString());
        assertEquals(1, later.exitCode());
        assertTrue(later.err().contains("has 5 entries, 0 to 4 in the checkpoint"), later.err());
        assertTrue(later.err().contains("get a newer checkpoint (size 7 or more)"), later.err());
        assertEquals(0, run("prove", log.toString(), "--index", "6").exitCode());

        for (String outside : List.of("8", "99", "-1")) {
            CommandLineRun beyond = run("prove", log.toString(), "--index", outside);
            assertEquals(1, beyond.exitCode(), beyond.err());
            assertTrue(
                    beyond.err().contains("--index " + outside + ": log.example/cli has 8 entries, 0 to 7"),
                    beyond.err());
        }

        String text = Files.readString(file);
        Files.writeString(file, text.replace("index 1\n", "index 2\n"));
        assertEquals(2, run("prove", "--check", file.toString()).exitCode());
    }

    @Test
    void exportsACopyThatChecksOut() throws Exception {
        Path mirror = folder.resolve("mirror");
        assertEquals(
                0, run("export", log.toString(), "--out", mirror.toString()).exitCode());
        assertEquals(0, run("fsck", mirror.toString()).exitCode());
        assertTrue(Files.notExists(mirror.resolve(".writer")));
        CommandLineRun again = run("export", log.toString(), "--out", mirror.toString());
        assertEquals(1, again.exitCode());
    }

    @Test
    void saysWhatIsMissingBeforeItJudgesAnything() {
        CommandLineRun noTrust = CommandLineRun.of("log", "fsck", log.toString());
        assertEquals(1, noTrust.exitCode());
        assertTrue(noTrust.err().contains("--trust"), noTrust.err());
        CommandLineRun noLog = run("show", folder.resolve("nowhere").toString());
        assertEquals(1, noLog.exitCode());
        CommandLineRun noKey = run(
                "serve",
                "--dir",
                log.toString(),
                "--key",
                folder.resolve("nokey").toString());
        assertEquals(1, noKey.exitCode());
        assertTrue(noKey.err().contains("key new"), noKey.err());
    }
}
