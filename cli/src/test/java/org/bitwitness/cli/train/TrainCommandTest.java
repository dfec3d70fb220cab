package org.bitwitness.cli.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.cli.Main;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.CommitmentReceipt;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainCommandTest {
    private static final String CONFIG = """
            {"dataset": "data", "workers": 2,
             "model": {"layers": 1, "width": 16, "heads": 1, "ff": 16, "context": 8, "dropout": 0.1},
             "data": {"microBatches": 1, "sequencesPerMicroBatch": 1},
             "schedule": {"steps": 4, "warmup": 1},
             "storage": {"commitEvery": 2, "checkpointEvery": 2, "stepsPerSegment": 2}}
            """;

    @TempDir
    Path folder;

    private record Outcome(int exit, String out, String err) {}

    @BeforeEach
    void prepare() throws Exception {
        Files.writeString(folder.resolve("text.txt"), "to be or not to be, that is the question\n".repeat(20));
        Files.writeString(folder.resolve("config.json"), CONFIG);
        assertEquals(
                0,
                run("dataset", "build", "--out", path("data"), path("text.txt")).exit());
    }

    @Test
    void trainsSignsAndSaysTheFinalStateRootInOneLine() throws Exception {
        Outcome trained = train("run");
        assertEquals(0, trained.exit(), trained.err());
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        assertEquals(1, trained.out().lines().count(), trained.out());
        assertTrue(trained.out().contains("4 steps in"), trained.out());
        assertTrue(trained.out().strip().endsWith(reader.last().stateRoot().toString()), trained.out());
        KeyFolder key = new KeyFolder(folder.resolve("run.key"));
        for (long sequence = 0; sequence < 3; sequence++) {
            SigstoreBundle bundle = SigstoreBundle.parse(reader.commitmentBundle(sequence));
            TrainingCommitmentStatement statement =
                    TrainingCommitmentStatement.parse(bundle.verifySignature(key.verifyingKey()));
            assertEquals(reader.commitments().get((int) sequence), statement.commitment());
        }
        Outcome json = train("again", "--json");
        assertTrue(json.out().contains("\"finalStateRoot\" : \"" + reader.last().stateRoot()), json.out());
    }

    /** Real worker processes, by the command that users start. */
    @Test
    void workersAreProcessesOfTheirOwnAndGiveTheSameRoot() throws Exception {
        assertEquals(0, train("threads").exit());
        Outcome processes =
                run("train", "--config", path("config.json"), "--out", path("processes"), "--backend", "reference");
        assertEquals(0, processes.exit(), processes.err());
        assertEquals(
                RecordingReader.open(folder.resolve("threads")).last().stateRoot(),
                RecordingReader.open(folder.resolve("processes")).last().stateRoot());
    }

    @Test
    void wrongKeysAndValuesAreNamedWithTheNearestKey() throws Exception {
        assertUsage(
                "unknown key \"worker\", the nearest known one is \"workers\"", CONFIG.replace("workers", "worker"));
        assertUsage("unknown key \"wramup\", the nearest known one is \"warmup\"", CONFIG.replace("warmup", "wramup"));
        assertUsage("\"workers\" should be from 1 to 1024, is 0", CONFIG.replace("\"workers\": 2", "\"workers\": 0"));
        assertUsage("\"steps\" should be an integer", CONFIG.replace("\"steps\": 4", "\"steps\": 4.5"));
        assertUsage("width = heads * headDim", CONFIG.replace("\"heads\": 1", "\"heads\": 3"));
        assertUsage("\"dataset\" is missing", CONFIG.replace("\"dataset\"", "\"drill\""));
        assertUsage("line", CONFIG.substring(0, 40));
        assertUsage(
                "the dataset " + path("nowhere") + " does not exist",
                CONFIG.replace("\"data\",", "\"docs/examples/../../nowhere\","));
        assertFalse(Files.exists(folder.resolve("bad")));
        assertFalse(Files.exists(folder.resolve("bad.key")), "no key is made for a run that cannot be");
    }

    /** Whatever kept a run from being opened, the same command works once it is mended. */
    @Test
    void aRunThatCouldNotBeOpenedLeavesNothingInTheWayOfTheNextTry() throws Exception {
        assertEquals(0, run("key", "new", "--out", path("key")).exit());
        writeTrust();
        HttpServer log = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String url = "http://127.0.0.1:" + log.getAddress().getPort();
        String[] logged = {"--log", url, "--key", path("key"), "--trust", path("trust")};
        log.createContext("/", exchange -> {
            int status = exchange.getRequestMethod().equals("POST") ? 503 : 404;
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        log.start();
        try {
            Outcome refused = train("run", logged);
            assertEquals(1, refused.exit());
            assertTrue(refused.err().contains("OPEN"), refused.err());
            assertFalse(Files.exists(folder.resolve("run")), "OPEN was never logged, so there is no recording");
        } finally {
            log.stop(0);
        }
        Outcome unreachable = train("run", logged);
        assertEquals(1, unreachable.exit());
        assertTrue(unreachable.err().contains("GET " + url + "/checkpoint: nobody listens there"), unreachable.err());
        assertFalse(Files.exists(folder.resolve("run")));
        assertEquals(0, train("run").exit());
    }

    /** A resume clears away what a run left that was cut off before OPEN; a mistyped folder is not such a run. */
    @Test
    void aResumeDeletesNothingInAFolderThatIsNoRecording() throws Exception {
        for (String file : List.of("notes.txt", "dataset/notes.txt", "a/b/notes.txt")) {
            Path own = folder.resolve("own").resolve(file);
            Files.createDirectories(Objects.requireNonNull(own.getParent()));
            Files.writeString(own, "precious");
            Outcome refused = train("own", "--resume");
            assertEquals(1, refused.exit(), refused.out());
            assertTrue(refused.err().contains("holds " + file + ". Nothing was deleted"), refused.err());
            assertEquals("precious", Files.readString(own));
            Files.delete(own);
        }
        Files.writeString(folder.resolve("own/descriptor.json"), "{}");
        Files.writeString(folder.resolve("own/notes.txt"), "precious");
        assertEquals(1, train("own", "--resume").exit());
        assertEquals("precious", Files.readString(folder.resolve("own/notes.txt")));
        Files.delete(folder.resolve("own/notes.txt"));
        Files.writeString(folder.resolve("own/dataset/shard-00000.arrow"), "half");
        Outcome begun = train("own", "--resume");
        assertEquals(0, begun.exit(), "a run that was cut off before OPEN begins again: " + begun.err());
    }

    private void writeTrust() throws Exception {
        List<WitnessIdentity> witnesses = new ArrayList<>();
        for (String name : List.of("w1", "w2")) {
            NoteSigner witness = NoteSigner.create(name + ".example", NoteKeyType.COSIGNATURE_V1, new SecureRandom());
            witnesses.add(new WitnessIdentity(name, witness.verifier(), Optional.empty()));
        }
        NoteSigner log = NoteSigner.create("log.example/none", NoteKeyType.ED25519, new SecureRandom());
        Files.createDirectories(folder.resolve("trust"));
        Files.writeString(
                folder.resolve("trust/policy.txt"),
                TrustPolicy.textRequiringAll(new LogIdentity(log.verifier(), Optional.empty()), witnesses));
    }

    @Test
    void whatIsMissingOrInTheWayIsSaidAtOnce() throws Exception {
        assertTrue(run("train", "--config", path("none.json"), "--out", path("run"))
                .err()
                .contains("no such file"));
        assertEquals(0, train("run").exit());
        Outcome again = train("run");
        assertEquals(1, again.exit());
        assertTrue(again.err().contains("exists"), again.err());
        Outcome finished = train("run", "--resume");
        assertEquals(1, finished.exit());
        assertTrue(finished.err().contains("is finished"), finished.err());
        String absentCard = "--device=4095";
        Outcome cuda = run(
                "train",
                "--config",
                path("config.json"),
                "--out",
                path("x"),
                "--backend",
                "cuda",
                absentCard,
                "--in-process");
        System.clearProperty(GpuSettings.DEVICE);
        assertEquals(1, cuda.exit());
        assertTrue(cuda.err().contains("cuda"), cuda.err());
        Outcome unsure = train("y", "--log", "http://127.0.0.1:9");
        assertEquals(1, unsure.exit());
        assertTrue(unsure.err().contains("--key"), unsure.err());
    }

    /** The sink over a real log: every bundle proves its place in it; what the log answers is checked. */
    @Test
    void aLoggedCommitmentCarriesTheProofAndAWrongAnswerIsRefused() throws Exception {
        assertEquals(0, train("run").exit());
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        SigningKey key = new KeyFolder(folder.resolve("run.key")).signingKey();
        byte[] seed = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(seed, (byte) 3);
        NoteSigner logKey = NoteSigner.ofSeed("log.example/train", NoteKeyType.ED25519, seed);
        WitnessPolicy policy = WitnessPolicy.parse(
                ("log " + logKey.verifier().vkey() + "\nquorum none\n").getBytes(StandardCharsets.UTF_8));
        try (LocalTileLog log = LocalTileLog.open(
                folder.resolve("log"), new LocalTileLog.Settings(logKey, policy, CheckpointCosigner.NONE))) {
            SigningSink sink = new SigningSink(key, Optional.of(new SigningSink.Logging(log, policy)));
            List<LogReceipt> receipts = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                CommitmentReceipt receipt = sink.commit(reader.commitments().get(i));
                assertEquals(i, receipt.logIndex().orElseThrow());
                SigstoreBundle bundle = SigstoreBundle.parse(receipt.bundle().getBytes(StandardCharsets.UTF_8));
                assertEquals(i, bundle.verify(key.verifyingKey(), policy).index());
            }
            TransparencyLog lying = (envelope, signer) -> {
                if (receipts.isEmpty()) {
                    receipts.add(log.append(envelope, signer));
                }
                return receipts.getFirst();
            };
            SigningSink deceived = new SigningSink(key, Optional.of(new SigningSink.Logging(lying, policy)));
            deceived.commit(reader.commitments().get(0));
            RecorderException e = assertThrows(
                    RecorderException.class,
                    () -> deceived.commit(reader.commitments().get(1)));
            assertTrue(e.getMessage().contains("entry for another statement"), e.getMessage());
        }
    }

    private void assertUsage(String part, String config) throws Exception {
        Files.writeString(folder.resolve("bad.json"), config);
        Outcome refused = run(
                "train", "--config", path("bad.json"), "--out", path("bad"), "--backend", "reference", "--in-process");
        assertEquals(1, refused.exit(), refused.err());
        assertTrue(refused.err().contains(part), refused.err());
    }

    private Outcome train(String out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train",
                "--config",
                path("config.json"),
                "--out",
                path(out),
                "--backend",
                "reference",
                "--in-process"));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
