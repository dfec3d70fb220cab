package org.bitwitness.cli.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.FolderStore;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogServer;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.portal.index.LogPortalView;
import org.bitwitness.portal.view.LogPage;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys whose life is in a log that is served, and a monitor that watches it. */
class KeyRegistryCommandsTest {
    @TempDir
    Path folder;

    private Optional<LogServer> server = Optional.empty();
    private String url = "";

    @BeforeEach
    void serveALog() throws Exception {
        for (String name : List.of("alice", "registrar", "carol")) {
            assertEquals(0, run("key", "new", "--out", at("keys/" + name)).exitCode());
        }
        publish("alice", "auditors");
        publish("registrar", "registrars");
        NoteSigner log = NoteSigner.create("log.example/keys", NoteKeyType.ED25519, new SecureRandom());
        List<NoteSigner> witnesses = new ArrayList<>();
        List<WitnessIdentity> identities = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            NoteSigner witness =
                    NoteSigner.create("w" + number + ".example", NoteKeyType.COSIGNATURE_V1, new SecureRandom());
            witnesses.add(witness);
            identities.add(new WitnessIdentity("w" + number, witness.verifier(), Optional.empty()));
        }
        Path trust = folder.resolve("trust");
        Files.writeString(
                trust.resolve("policy.txt"),
                TrustPolicy.textRequiringAll(new LogIdentity(log.verifier(), Optional.empty()), identities));
        CheckpointCosigner cosigner = (note, proofs) -> new CheckpointCosigner.Collected(
                witnesses.stream()
                        .map(w -> w.cosign(note.text(), Instant.now()))
                        .toList(),
                List.of());
        LocalTileLog writer = LocalTileLog.open(
                folder.resolve("log"),
                new LocalTileLog.Settings(log, TrustPolicy.load(trust).witnesses(), cosigner));
        LogServer started = LogServer.start(
                writer,
                FolderStore.existing(folder.resolve("log")),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server = Optional.of(started);
        url = started.url().toString();
    }

    @AfterEach
    void stop() throws Exception {
        if (server.isPresent()) {
            server.get().close();
        }
    }

    @Test
    void enrolsRotatesAndRevokesInTheLogAndSaysWhatHasNoEffect() {
        CommandLineRun enrol = logged("enrol", "carol", "--name", "carol", "--by", at("keys/registrar"));
        assertEquals(0, enrol.exitCode(), enrol.err());
        assertTrue(enrol.out().contains("is auditor carol from log entry 0"), enrol.out());
        CommandLineRun rotate = logged("rotate", "alice", "--out", at("keys/alice-2"));
        assertEquals(0, rotate.exitCode(), rotate.err());
        assertTrue(rotate.out().contains("by log entry 1"), rotate.out());
        assertEquals(
                rotate.out(),
                logged("rotate", "alice", "--out", at("keys/alice-2")).out(),
                "once, however often");
        CommandLineRun late = logged("rotate", "alice", "--out", at("keys/alice-3"));
        assertTrue(late.err().contains("without effect"), late.err());
        CommandLineRun revoke = logged("revoke", "carol", "--by", at("keys/registrar"), "--reason", "left");
        assertEquals(0, revoke.exitCode(), revoke.err());
        CommandLineRun nobody = logged("revoke", "alice-2", "--by", at("keys/carol"));
        assertTrue(nobody.err().contains("without effect"), nobody.err());

        CommandLineRun watch = monitor();
        assertEquals(0, watch.exitCode(), watch.err() + watch.out());
        assertTrue(watch.out().contains("5 entries"), watch.out());
    }

    @Test
    void thePortalNamesKeysThatTheLogEnrolledAndSuccessors() throws Exception {
        LogPortalView portal =
                new LogPortalView(LogSources.at(at("log")), TrustPolicy.load(folder.resolve("trust")), List.of());
        Map<String, String> before = portal.names();
        assertEquals("alice", before.get(idOf("alice")), "before anything is logged");
        assertFalse(before.containsKey(idOf("carol")));
        logged("enrol", "carol", "--name", "carol", "--by", at("keys/registrar"));
        assertEquals("carol", portal.names().get(idOf("carol")));
        logged("rotate", "alice", "--out", at("keys/alice-2"));
        logged("revoke", "carol", "--by", at("keys/registrar"), "--reason", "left");
        Map<String, String> after = portal.names();
        assertEquals("alice (until log entry 1)", after.get(idOf("alice")));
        assertEquals("alice", after.get(idOf("alice-2")));
        assertEquals("carol (until log entry 2)", after.get(idOf("carol")));
        assertEquals(before.size() + 2, after.size(), "nobody else has a name");
    }

    private String idOf(String name) throws Exception {
        return Hashing.file(folder.resolve("keys").resolve(name).resolve("public.pem"))
                .hex();
    }

    @Test
    void thePageOfTheLogShowsWhatHappenedToKeys() throws Exception {
        logged("enrol", "carol", "--name", "carol", "--by", at("keys/registrar"));
        logged("rotate", "alice", "--out", at("keys/alice-2"));
        logged("revoke", "carol", "--by", at("keys/registrar"), "--reason", "left");
        LogPortalView portal =
                new LogPortalView(LogSources.at(at("log")), TrustPolicy.load(folder.resolve("trust")), List.of());
        List<String> lines = portal.log().entries().stream()
                .map(LogPage.Entry::summary)
                .map(line -> line.replaceAll("[0-9a-f]{12}…", "K"))
                .toList();
        assertEquals(List.of("key K is enrolled as auditor carol", "key K hands over to K", "key K is revoked"), lines);
    }

    @Test
    void refusesWrongUsageBeforeAnythingIsLogged() throws Exception {
        assertEquals(1, logged("enrol", "carol", "--name", "carol").exitCode());
        assertEquals(
                1,
                logged("enrol", "carol", "--name", "../x", "--by", at("keys/registrar"))
                        .exitCode());
        CommandLineRun publicOnly =
                run("key", "revoke", at("trust/auditors/alice.pem"), "--log", url, "--trust", at("trust"));
        assertEquals(1, publicOnly.exitCode());
        assertTrue(publicOnly.err().contains("cannot sign"), publicOnly.err());
        assertEquals(
                1,
                run("key", "revoke", at("keys/alice"), "--log", at("log"), "--trust", at("trust"))
                        .exitCode());
        assertTrue(Files.notExists(folder.resolve("log/checkpoint")), "nothing was logged");
    }

    @Test
    void theMonitorAlertsOnceTheLogWasCutBackOrAnIndexLeavesAVerdictOut() throws Exception {
        logged("enrol", "carol", "--name", "carol", "--by", at("keys/registrar"));
        Path old = folder.resolve("old-checkpoint");
        Files.copy(folder.resolve("log/checkpoint"), old);
        logged("rotate", "alice", "--out", at("keys/alice-2"));
        assertEquals(0, monitor().exitCode());
        Files.copy(old, folder.resolve("log/checkpoint"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        CommandLineRun cut = monitor();
        assertEquals(2, cut.exitCode());
        assertTrue(cut.out().contains("ALERT ROLLED_BACK: 2 entries were there before, now there are 1"), cut.out());
        assertEquals(
                1,
                run("monitor", "--log", at("nowhere"), "--trust", at("trust"), "--state", at("s2"), "--once")
                        .exitCode());
        assertEquals(
                1,
                run("monitor", "--log", at("log"), "--trust", at("trust"), "--state", at("s3"), "--max-age", "1 day")
                        .exitCode());
    }

    /** Exit 2 is for alerts, which come with a line that says so. */
    @Test
    void aBrokenStateFileIsTroubleOfTheMonitorAndNoAlert() throws Exception {
        logged("enrol", "carol", "--name", "carol", "--by", at("keys/registrar"));
        assertEquals(0, monitor().exitCode());
        String good = Files.readString(folder.resolve("state"));
        for (String broken : new String[] {"", "BROKEN", good.substring(9), good.replace("log.example", "log\\n")}) {
            Files.writeString(folder.resolve("state"), broken);
            CommandLineRun watch = monitor();
            assertEquals(1, watch.exitCode(), watch.out() + watch.err());
            assertTrue(watch.err().contains("--state " + at("state") + " is not what a monitor wrote"), watch.err());
            assertTrue(watch.err().contains("Put a good copy of the file in its place"), watch.err());
            assertEquals(broken, Files.readString(folder.resolve("state")), "left as it is");
        }
    }

    private CommandLineRun monitor() {
        return run("monitor", "--log", at("log"), "--trust", at("trust"), "--state", at("state"), "--once");
    }

    private CommandLineRun logged(String command, String key, String... more) {
        List<String> words =
                new ArrayList<>(List.of("key", command, at("keys/" + key), "--log", url, "--trust", at("trust")));
        words.addAll(List.of(more));
        return run(words.toArray(String[]::new));
    }

    private void publish(String name, String role) throws Exception {
        Path target = folder.resolve("trust").resolve(role).resolve(name + ".pem");
        Files.createDirectories(java.util.Objects.requireNonNull(target.getParent()));
        Files.copy(folder.resolve("keys").resolve(name).resolve("public.pem"), target);
    }

    private String at(String name) {
        return folder.resolve(name).toString();
    }

    private static CommandLineRun run(String... words) {
        return CommandLineRun.of(words);
    }
}
