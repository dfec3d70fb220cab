package org.bitwitness.cli.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.FolderStore;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogServer;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.verify.CommitmentChain;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;

/** A served log with two witnesses, a dataset, a configuration, and keys of everybody in a drill. */
final class DrillStage implements AutoCloseable {
    final Path folder;
    private final LogServer server;

    DrillStage(Path folder) throws Exception {
        this.folder = folder;
        for (String name : List.of("drills", "trainer", "honest", "lazy", "stranger")) {
            assertEquals(0, run("key", "new", "--out", at("keys/" + name)).exitCode());
        }
        publish("trainer", "trainers");
        publish("honest", "auditors");
        publish("lazy", "auditors");
        server = serve();
        List<Document> documents = new ArrayList<>();
        for (int d = 0; d < 6; d++) {
            String text =
                    "document %d says %d and no more\n".formatted(d, d * d).repeat(4);
            documents.add(Document.of("doc-" + d + ".txt", text.getBytes(StandardCharsets.UTF_8)));
        }
        DatasetBuilder.build(documents, new DatasetOptions("small", "MIT", List.of(), 500), folder.resolve("data"));
    }

    private LogServer serve() throws Exception {
        NoteSigner log = NoteSigner.create("log.example/drills", NoteKeyType.ED25519, new SecureRandom());
        List<NoteSigner> witnesses = new ArrayList<>();
        List<WitnessIdentity> identities = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            NoteSigner witness =
                    NoteSigner.create("w" + number + ".example", NoteKeyType.COSIGNATURE_V1, new SecureRandom());
            witnesses.add(witness);
            identities.add(new WitnessIdentity("w" + number, witness.verifier(), Optional.empty()));
        }
        Files.writeString(
                folder.resolve("trust/policy.txt"),
                TrustPolicy.textRequiringAll(new LogIdentity(log.verifier(), Optional.empty()), identities));
        LocalTileLog writer = LocalTileLog.open(
                folder.resolve("log"),
                new LocalTileLog.Settings(
                        log,
                        policy().witnesses(),
                        (note, proofs) -> new CheckpointCosigner.Collected(
                                witnesses.stream()
                                        .map(w -> w.cosign(note.text(), Instant.now()))
                                        .toList(),
                                List.of())));
        return LogServer.start(
                writer,
                FolderStore.existing(folder.resolve("log")),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Puts a key into the trust folder. */
    void publish(String name, String to) throws Exception {
        Path target = folder.resolve("trust").resolve(to);
        Files.createDirectories(target);
        Files.copy(folder.resolve("keys").resolve(name).resolve("public.pem"), target.resolve(name + ".pem"));
    }

    /** A configuration of its own for each seed. */
    String config(int seed, int steps) throws Exception {
        String json = """
            {"dataset": "data", "seed": %d, "workers": 2,
             "model": {"layers": 1, "width": 16, "heads": 2, "ff": 24, "context": 16, "dropout": 0.1},
             "data": {"microBatches": 2, "sequencesPerMicroBatch": 1},
             "schedule": {"steps": %d, "warmup": 2, "base": 0.01},
             "storage": {"commitEvery": %d, "checkpointEvery": 1, "stepsPerSegment": %d}}
            """.formatted(seed, steps, steps, steps);
        return Files.writeString(folder.resolve("config-" + seed + ".json"), json)
                .toString();
    }

    String at(String name) {
        return folder.resolve(name).toString();
    }

    SigningKey key(String name) throws Exception {
        return new KeyFolder(folder.resolve("keys").resolve(name)).signingKey();
    }

    TrustPolicy policy() throws Exception {
        return TrustPolicy.load(folder.resolve("trust"));
    }

    LogSurvey survey() throws Exception {
        return LogSurvey.read(LogReader.open(LogSources.at(at("log")), policy().witnesses()), policy());
    }

    static CommandLineRun run(String... words) {
        return CommandLineRun.of(words);
    }

    /** A command that appends to the log, signed by {@code key}. */
    CommandLineRun logged(String key, String... words) {
        return run(words(key, words).toArray(String[]::new));
    }

    /** The words of such a command. */
    List<String> words(String key, String... words) {
        Stream<String> more =
                Stream.of("--log", server.url().toString(), "--trust", at("trust"), "--key", at("keys/" + key));
        return Stream.concat(Arrays.stream(words), more).toList();
    }

    /** A command that reads the log. */
    CommandLineRun reading(String... words) {
        Stream<String> more = Stream.of("--log", at("log"), "--trust", at("trust"));
        return run(Stream.concat(Arrays.stream(words), more).toArray(String[]::new));
    }

    long append(Statement statement, String key) throws Exception {
        return new HttpLogClient(URI.create(server.url().toString()), policy().witnesses())
                .append(statement.sign(key(key)), key(key).verifyingKey())
                .index();
    }

    /** What an auditor signs who copies public hashes and replays nothing. */
    long signWithoutReplaying(String key, String recording, String unit) throws Exception {
        RecordingReader reader = RecordingReader.open(folder.resolve(recording));
        Commitment last = reader.last();
        long index = CommitmentChain.of(survey(), last.runId())
                .find(last.digest())
                .orElseThrow()
                .index();
        Sha256 copied = last.stateRoot().digest();
        ReplayReport report = new ReplayReport(
                AuditUnit.parse(unit),
                Verdict.REPRODUCED,
                Optional.of(EvidenceGrade.PROVEN),
                "vector",
                ProfileId.F32_C512,
                Optional.empty(),
                copied,
                copied,
                Optional.empty(),
                Optional.empty(),
                new ReplayProof(ReplayProof.Kind.WORK, Hashing.sha256("made up"), 100),
                Hashing.sha256("self-test"),
                Hashing.sha256("environment"),
                Instant.parse("2026-01-02T03:04:05Z"),
                Instant.parse("2026-01-02T03:04:06Z"),
                1,
                100,
                Duration.ofSeconds(1));
        return append(
                new AuditVerdictStatement(
                                new AuditVerdictStatement.Basis(
                                        last.runId(), last.digest(), index, OptionalLong.empty()),
                                report,
                                List.of())
                        .toStatement(),
                key);
    }

    @Override
    public void close() throws AttestationException {
        server.close();
    }
}
