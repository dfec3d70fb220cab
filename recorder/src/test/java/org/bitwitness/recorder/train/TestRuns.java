package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.CommitmentReceipt;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.function.Executable;

/** A dataset of a few kilobytes and a model that trains in a second. */
final class TestRuns {
    static final String CONFIG = """
            {"dataset": "data", "seed": 5, "workers": 3,
             "model": {"layers": 1, "width": 32, "heads": 2, "ff": 48, "context": 16, "dropout": 0.1},
             "data": {"microBatches": 2, "sequencesPerMicroBatch": 1},
             "schedule": {"steps": 7, "warmup": 2, "base": 0.01},
             "storage": {"commitEvery": 2, "checkpointEvery": 2, "stepsPerSegment": 2}}
            """;

    /** Signs nothing; its bundles are a pure function of the commitment, so whole recordings can be compared. */
    static final CommitmentSink UNSIGNED =
            commitment -> new CommitmentReceipt(OptionalLong.empty(), "{\"digest\":\"" + commitment.digest() + "\"}");

    /** Stands in for the signature rules of models: a hash over names and file digests. */
    static final ModelIdentity IDENTITY = folder -> {
        try {
            CanonicalEncoder names = CanonicalEncoder.of("test-identity");
            for (Map.Entry<String, Sha256> file : digests(folder).entrySet()) {
                names.text(file.getKey()).digest(file.getValue());
            }
            return new ReleasedRoot(names.hash());
        } catch (IOException e) {
            throw RecorderException.io("hashing " + folder, e);
        }
    };

    private TestRuns() {}

    static void dataset(Path folder) throws Exception {
        dataset(folder, 12);
    }

    static void dataset(Path folder, int count) throws Exception {
        List<Document> documents = new ArrayList<>();
        for (int d = 0; d < count; d++) {
            StringBuilder text = new StringBuilder();
            for (int line = 0; line < 8; line++) {
                text.append("document ")
                        .append(d)
                        .append(" says ")
                        .append(line * d % 7)
                        .append(" and more\n");
            }
            documents.add(
                    Document.of("doc-%02d.txt".formatted(d), text.toString().getBytes(StandardCharsets.UTF_8)));
        }
        DatasetBuilder.build(documents, new DatasetOptions("small", "MIT", List.of(), 1200), folder);
    }

    static TrainConfig config(Path folder, String json) throws Exception {
        return TrainConfig.read(json.getBytes(StandardCharsets.UTF_8), "config.json", folder);
    }

    static TrainingRun run(Path folder, String json, String out, boolean resume) throws Exception {
        TrainConfig config = config(folder, json);
        try (Dataset dataset = Dataset.open(config.dataset())) {
            return new TrainingRun(
                    config.descriptor(dataset.manifest()),
                    config.dataset(),
                    folder.resolve(out),
                    resume,
                    new TrainingRun.TrainerKey(new byte[] {1, 2, 3}),
                    config.audit(),
                    config.faults());
        }
    }

    static TrainingMeans means(int threads, WorkerLauncher launcher, CommitmentSink sink) {
        return new TrainingMeans(
                BackendId.REFERENCE, threads, launcher, sink, IDENTITY, TrainingMeans.DEFAULT_ANSWER_LIMIT);
    }

    static TrainingResult train(TrainingRun run) throws RecorderException {
        return new Trainer(run, means(1, new InProcessWorkers(), UNSIGNED), TrainingListener.NONE).train();
    }

    /** Workers as child JVMs with this JVM's class path. */
    static WorkerLauncher children() {
        return new ChildWorkers(arguments -> {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    WorkerMain.class.getName()));
            command.addAll(arguments);
            return new ProcessBuilder(command);
        });
    }

    /** SHA-256 of every file below a folder. */
    static Map<String, Sha256> digests(Path folder) throws IOException {
        Map<String, Sha256> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                digests.put(folder.relativize(file).toString(), Hashing.file(file));
            }
        }
        return digests;
    }

    static void assertMessage(String part, Executable action) {
        RecorderException e = assertThrows(RecorderException.class, action);
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    static void requireReadable(Path recording) throws ProtocolException {
        RecordingReader.open(recording).checkSteps();
    }
}
