package org.bitwitness.cli.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.cli.support.Relaunch;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/** {@code log serve} and two {@code witness serve}, each a process of its own that a test may kill. */
final class ServedLog implements AutoCloseable {
    static final String ORIGIN = "log.example/served";

    private static final long START_SECONDS = 120;

    final Path folder;
    private final Server[] witnesses = new Server[2];
    private Server log;

    /** A process, and where it listens. */
    record Server(Process process, URI url, Path output) {
        /** SIGKILL, and waits for the end. */
        void kill() throws InterruptedException {
            process.destroyForcibly();
            assertTrue(process.waitFor(START_SECONDS, TimeUnit.SECONDS), "a killed process ends");
        }

        /** SIGTERM, and waits for the end. */
        int stop() throws InterruptedException {
            process.destroy();
            assertTrue(process.waitFor(START_SECONDS, TimeUnit.SECONDS), "a stopped server ends");
            return process.exitValue();
        }
    }

    ServedLog(Path folder) throws Exception {
        this.folder = folder;
        key("log", ORIGIN, NoteKeyType.ED25519);
        for (int number = 1; number <= 2; number++) {
            key("w" + number, "w" + number + ".example", NoteKeyType.COSIGNATURE_V1);
        }
        // Both witnesses start before the policy can name their ports.
        for (int number = 1; number <= 2; number++) {
            witnesses[number - 1] = startWitness(number, 0);
        }
        writePolicy();
        log = startLog();
    }

    private void key(String name, String keyName, NoteKeyType type) throws AttestationException {
        NoteKeyFolder.write(keyFolder(name), NoteSigner.create(keyName, type, new SecureRandom()));
    }

    private Path keyFolder(String name) {
        return folder.resolve("keys").resolve(name);
    }

    Path logFolder() {
        return folder.resolve("log");
    }

    URI logUrl() {
        return log.url();
    }

    Server log() {
        return log;
    }

    Server witness(int number) {
        return witnesses[number - 1];
    }

    TrustPolicy trust() throws AttestationException {
        return TrustPolicy.load(folder.resolve("trust"));
    }

    void restartLog() throws Exception {
        log = startLog();
    }

    /** On the port it had, which the policy names. */
    void restartWitness(int number) throws Exception {
        witnesses[number - 1] = startWitness(number, witnesses[number - 1].url().getPort());
    }

    private Server startLog() throws Exception {
        return start(
                "log",
                List.of(
                        "log",
                        "serve",
                        "--dir",
                        logFolder().toString(),
                        "--key",
                        keyFolder("log").toString(),
                        "--trust",
                        folder.resolve("trust").toString()));
    }

    private Server startWitness(int number, int port) throws Exception {
        String name = "w" + number;
        return start(
                name,
                List.of(
                        "witness",
                        "serve",
                        "--dir",
                        folder.resolve(name + "-state").toString(),
                        "--key",
                        keyFolder(name).toString(),
                        "--log",
                        keyFolder("log").toString(),
                        "--port",
                        String.valueOf(port)));
    }

    private Server start(String name, List<String> command) throws Exception {
        Path ready = folder.resolve(name + ".ready");
        Path output = folder.resolve(name + ".out");
        Files.deleteIfExists(ready);
        List<String> whole = new ArrayList<>(command);
        whole.add("--ready-file");
        whole.add(ready.toString());
        Process process = Relaunch.process(whole, List.of("-XX:TieredStopAtLevel=1"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.exists(ready)) {
            assertTrue(process.isAlive(), () -> name + " ended: " + read(output));
            assertTrue(System.nanoTime() < deadline, () -> name + " does not get ready: " + read(output));
            Thread.sleep(20);
        }
        return new Server(process, url(ready), output);
    }

    private static URI url(Path ready) throws IOException, ProtocolException {
        return URI.create(JsonFields.of("ready", StrictJson.object(Files.readAllBytes(ready), "ready"))
                .text("url"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(" + e + ")";
        }
    }

    private void writePolicy() throws Exception {
        Files.createDirectories(folder.resolve("trust"));
        List<WitnessIdentity> identities = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            identities.add(new WitnessIdentity(
                    "w" + number,
                    NoteKeyFolder.verifier(keyFolder("w" + number)),
                    Optional.of(witness(number).url())));
        }
        LogIdentity identity = new LogIdentity(NoteKeyFolder.verifier(keyFolder("log")), Optional.empty());
        Files.writeString(
                folder.resolve("trust").resolve(TrustPolicy.POLICY_FILE),
                TrustPolicy.textRequiringAll(identity, identities));
    }

    @Override
    public void close() {
        log.process().destroyForcibly();
        for (Server witness : witnesses) {
            witness.process().destroyForcibly();
        }
    }
}
