package org.bitwitness.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.CommitmentReceipt;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.train.InProcessWorkers;
import org.bitwitness.recorder.train.TrainConfig;
import org.bitwitness.recorder.train.Trainer;
import org.bitwitness.recorder.train.TrainingListener;
import org.bitwitness.recorder.train.TrainingMeans;
import org.bitwitness.recorder.train.TrainingRun;

/**
 * A real run, as small as a run can be: two workers, four steps, signed, in a log with two witnesses. Every key follows
 * from a fixed number, so a test sees the same bytes every time.
 */
public final class TrainedRun {
    public static final String CONFIG = """
        {"dataset": "data", "seed": 5, "workers": 2,
         "model": {"layers": 1, "width": 16, "heads": 2, "ff": 24, "context": 16, "dropout": 0.1},
         "data": {"microBatches": 2, "sequencesPerMicroBatch": 1},
         "schedule": {"steps": 4, "warmup": 2, "base": 0.01},
         "storage": {"commitEvery": 2, "checkpointEvery": 2, "stepsPerSegment": 2}}
        """;

    private static final String ORIGIN = "log.example/run-verify";
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final Path home;
    private final SigningKey trainer;

    private TrainedRun(Path home, SigningKey trainer) {
        this.home = home;
        this.trainer = trainer;
    }

    /** Trains under {@code home}: {@code data}, {@code run}, {@code log}, {@code trust}. */
    static TrainedRun train(Path home) throws Exception {
        return train(home, CONFIG);
    }

    /** The same with another configuration. */
    public static TrainedRun train(Path home, String configuration) throws Exception {
        byte[] scalar = new byte[32];
        scalar[31] = 7;
        TrainedRun run = new TrainedRun(home, SigningKey.ofScalar(scalar));
        run.writeTrust();
        List<Document> documents = new ArrayList<>();
        for (int d = 0; d < 6; d++) {
            String text =
                    "document %d says %d and no more\n".formatted(d, d * d).repeat(4);
            documents.add(Document.of("doc-" + d + ".txt", text.getBytes(StandardCharsets.UTF_8)));
        }
        DatasetBuilder.build(documents, new DatasetOptions("small", "MIT", List.of(), 500), home.resolve("data"));
        TrainConfig config = TrainConfig.read(configuration.getBytes(StandardCharsets.UTF_8), "config.json", home);
        try (Dataset dataset = Dataset.open(config.dataset());
                LocalTileLog log = LocalTileLog.open(home.resolve("log"), run.logSettings())) {
            TrainingRun training = new TrainingRun(
                    config.descriptor(dataset.manifest()),
                    config.dataset(),
                    run.folder(),
                    false,
                    new TrainingRun.TrainerKey(run.trainer.verifyingKey().spki()),
                    config.audit(),
                    List.of());
            TrainingMeans means = new TrainingMeans(
                    BackendId.REFERENCE,
                    1,
                    new InProcessWorkers(),
                    commitment -> run.commit(log, commitment),
                    TrainedRun::identity,
                    TrainingMeans.DEFAULT_ANSWER_LIMIT);
            new Trainer(training, means, TrainingListener.NONE).train();
        }
        return run;
    }

    public Path folder() {
        return home.resolve("run");
    }

    Path trust() {
        return home.resolve("trust");
    }

    Path log() {
        return home.resolve("log");
    }

    /** A fresh copy of the recording to damage. */
    public Path copyTo(Path target) throws IOException {
        copyFolder(folder(), target);
        return target;
    }

    /** A bundle by the trainer's own key, without a log: what a lying trainer can make of anything. */
    byte[] signedBundle(Commitment commitment) {
        DsseEnvelope envelope =
                new TrainingCommitmentStatement(commitment).toStatement().sign(trainer);
        return SigstoreBundle.of(trainer.verifyingKey(), envelope, Optional.empty())
                .toBytes();
    }

    /** Logs a commitment of the run that its recording will not show. */
    void logOnly(Commitment commitment) throws Exception {
        try (LocalTileLog log = LocalTileLog.open(home.resolve("log"), logSettings())) {
            commit(log, commitment);
        }
    }

    static void copyFolder(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private CommitmentReceipt commit(LocalTileLog log, Commitment commitment) throws RecorderException {
        try {
            DsseEnvelope envelope =
                    new TrainingCommitmentStatement(commitment).toStatement().sign(trainer);
            LogReceipt receipt = log.append(envelope, trainer.verifyingKey());
            var verified = receipt.verify(logSettings().policy());
            TlogEntry entry = TlogEntry.of(
                    logKey().verifier(),
                    LogEntry.parse(receipt.leaf()),
                    receipt.inclusion(),
                    verified.checkpoint().root(),
                    new String(receipt.checkpoint().toBytes(), StandardCharsets.UTF_8));
            SigstoreBundle bundle = SigstoreBundle.of(trainer.verifyingKey(), envelope, Optional.of(entry));
            return new CommitmentReceipt(
                    OptionalLong.of(receipt.index()), new String(bundle.toBytes(), StandardCharsets.UTF_8));
        } catch (AttestationException e) {
            throw new RecorderException(e.getMessage());
        }
    }

    private static org.bitwitness.protocol.ReleasedRoot identity(Path folder) throws RecorderException {
        try {
            return ModelSignature.root(folder);
        } catch (AttestationException e) {
            throw new RecorderException(e.getMessage());
        }
    }

    private LocalTileLog.Settings logSettings() throws AttestationException {
        CheckpointCosigner witnesses = (checkpoint, proofs) -> new CheckpointCosigner.Collected(
                List.of(witness(1).cosign(checkpoint.text(), NOON), witness(2).cosign(checkpoint.text(), NOON)),
                List.of());
        return new LocalTileLog.Settings(logKey(), TrustPolicy.load(trust()).witnesses(), witnesses);
    }

    private void writeTrust() throws Exception {
        Files.createDirectories(trust().resolve("trainers"));
        Files.writeString(
                trust().resolve("trainers/trainer.pem"), trainer.verifyingKey().pem());
        Files.writeString(
                trust().resolve("policy.txt"),
                "log %s\nwitness w1 %s\nwitness w2 %s\ngroup both all w1 w2\nquorum both\n"
                        .formatted(
                                logKey().verifier().vkey(),
                                witness(1).verifier().vkey(),
                                witness(2).verifier().vkey()));
    }

    private static NoteSigner logKey() throws AttestationException {
        return signer(ORIGIN, NoteKeyType.ED25519, 1);
    }

    private static NoteSigner witness(int number) throws AttestationException {
        return signer("w" + number + ".example", NoteKeyType.COSIGNATURE_V1, 10 + number);
    }

    private static NoteSigner signer(String name, NoteKeyType type, int seed) throws AttestationException {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        return NoteSigner.ofSeed(name, type, bytes);
    }
}
