package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.cli.run.TrainedRun;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/** Two small runs on the same data from the same initial weights, which differ in their learning rate. */
record StoreStage(Path first, Path second) {
    static StoreStage train(Path home) throws Exception {
        Path first = TrainedRun.train(home.resolve("first"), TrainedRun.CONFIG).folder();
        String other = TrainedRun.CONFIG.replace("\"base\": 0.01", "\"base\": 0.02");
        Path second = TrainedRun.train(home.resolve("second"), other).folder();
        return new StoreStage(first, second);
    }

    static AddRun.Result add(Path run, StoreFiles files) throws Exception {
        return new AddRun(ObjectStore.openOrMake(files), _ -> {}, _ -> {}).run(RecordingSource.folder(run), false);
    }

    /** A recording up to its first commitment after OPEN. */
    static Path beginning(Path run, Path target) throws IOException {
        for (Map.Entry<String, Sha256> file : digests(run).entrySet()) {
            Optional<String> later = Optional.of(file.getKey()).filter(name -> name.startsWith("commitments/0002"));
            if (later.isEmpty()) {
                Path copy = target.resolve(file.getKey());
                Files.createDirectories(copy.getParent());
                Files.copy(run.resolve(file.getKey()), copy);
            }
        }
        return target;
    }

    static Map<String, Sha256> digests(Path folder) throws IOException {
        Map<String, Sha256> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                digests.put(folder.relativize(file).toString(), Hashing.file(file));
            }
        }
        return digests;
    }
}
