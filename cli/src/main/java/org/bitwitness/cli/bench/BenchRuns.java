package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.cli.support.Home;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.source.DemoCorpus;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.recorder.CommitmentReceipt;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.train.ExchangeSetting;
import org.bitwitness.recorder.train.InProcessWorkers;
import org.bitwitness.recorder.train.RecordingMode;
import org.bitwitness.recorder.train.TrainConfig;
import org.bitwitness.recorder.train.Trainer;
import org.bitwitness.recorder.train.TrainingListener;
import org.bitwitness.recorder.train.TrainingMeans;
import org.bitwitness.recorder.train.TrainingResult;
import org.bitwitness.recorder.train.TrainingRun;

/** Runs that the real trainer records for a measurement: the demo's text, workers with one thread each inside this process. */
final class BenchRuns implements AutoCloseable {
    /** Where the configurations find the text, below {@link #home}. */
    static final String DATASET = "data";

    private final Path home;

    private BenchRuns(Path home) {
        this.home = home;
    }

    static BenchRuns create() throws Exception {
        BenchRuns runs = new BenchRuns(Files.createTempDirectory("bitwitness-bench-runs"));
        var corpus = DemoCorpus.read(DemoCorpus.jarBelow(Home.folder()));
        DatasetBuilder.build(corpus.documents(), DatasetOptions.named("bench"), runs.home.resolve(DATASET));
        return runs;
    }

    /** Trains a configuration to its end, and returns the folder of the recording. */
    Path record(String name, String configuration, TrainingListener listener) throws Exception {
        train(name, configuration, listener, RecordingMode.STEPS);
        return home.resolve(name);
    }

    /** As {@link #record}, recorded or not; returns what the run came to. */
    TrainingResult train(String name, String configuration, TrainingListener listener, RecordingMode recording)
            throws Exception {
        TrainConfig config = TrainConfig.read(configuration.getBytes(StandardCharsets.UTF_8), name, home);
        try (Dataset dataset = Dataset.open(config.dataset())) {
            TrainingRun run = new TrainingRun(
                    config.descriptor(dataset.manifest()),
                    config.dataset(),
                    home.resolve(name),
                    false,
                    new TrainingRun.TrainerKey(new byte[] {1}),
                    config.audit(),
                    config.faults());
            TrainingMeans means = new TrainingMeans(
                    BackendId.VECTOR,
                    1,
                    new InProcessWorkers(recording),
                    _ -> new CommitmentReceipt(OptionalLong.empty(), "{}"),
                    BenchRuns::identity,
                    TrainingMeans.DEFAULT_ANSWER_LIMIT,
                    ExchangeSetting.STAR,
                    recording);
            return new Trainer(run, means, listener).train();
        }
    }

    void delete(String name) throws IOException {
        delete(home.resolve(name));
    }

    private static ReleasedRoot identity(Path folder) throws RecorderException {
        try {
            return ModelSignature.root(folder);
        } catch (AttestationException e) {
            throw new RecorderException("the released model: " + e.getMessage(), e);
        }
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        delete(home);
    }
}
