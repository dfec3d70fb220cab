package org.bitwitness.cli.train;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.recorder.train.TrainConfig;

/** A training configuration as a person names it, and the run that it describes. */
public record TrainingFile(Path path) {
    private static final long MAX_BYTES = 1 << 20;

    public TrainConfig read() throws CommandFailure, IOException {
        if (!Files.isRegularFile(path)) {
            throw CommandFailure.usage("no such file: " + path);
        }
        if (Files.size(path) > MAX_BYTES) {
            throw CommandFailure.usage("%s has over %d bytes: that is no configuration".formatted(path, MAX_BYTES));
        }
        Path folder = Optional.ofNullable(path.toAbsolutePath().getParent()).orElse(Path.of(""));
        try {
            return TrainConfig.read(Files.readAllBytes(path), path.toString(), folder);
        } catch (ProtocolException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    /** The dataset that the configuration names. */
    public Path dataset(TrainConfig configuration) throws CommandFailure {
        if (!Files.exists(configuration.dataset())) {
            Path plain = configuration.dataset().normalize();
            throw CommandFailure.usage(
                    "%s: the dataset %s does not exist; `bitwitness dataset build --out %s FILE…` makes one"
                            .formatted(path, plain, plain));
        }
        return configuration.dataset();
    }

    public Descriptor descriptor(TrainConfig configuration, Path dataset) throws CommandFailure, DatasetException {
        try (Dataset opened = Dataset.open(dataset)) {
            return configuration.descriptor(opened.manifest());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(path + ": " + e.getMessage());
        }
    }
}
