package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording that was made once and is kept: it verifies and replays for ever. Beside it stands where it came from. */
class GoldenRecordingTest {
    static final String CONFIG = """
        {"dataset": "data", "seed": 5, "workers": 2, "trace": "roots",
         "model": {"layers": 1, "width": 4, "heads": 2, "ff": 8, "context": 8, "dropout": 0.1},
         "data": {"microBatches": 2, "sequencesPerMicroBatch": 1},
         "schedule": {"steps": 4, "warmup": 2, "base": 0.01},
         "storage": {"commitEvery": 2, "checkpointEvery": 4, "stepsPerSegment": 2, "updates": "gradients"}}
        """;

    private static final String STATE_ROOT = "824f78e8e736efc7f8ba929db143c784fcd023edecd378822e1ad8b86e56cb03";

    @TempDir
    Path temp;

    @Test
    void aRecordingOfThePastVerifies() throws Exception {
        CommandLineRun verified = CommandLineRun.of("run", "verify", golden().toString());
        assertEquals(0, verified.exitCode(), verified.out() + verified.err());
        assertTrue(verified.out().contains("4 steps, state root " + STATE_ROOT), verified.out());
    }

    @Test
    void aUnitOfEveryKindReplaysFromThePlainDefinitions() throws Exception {
        for (String unit : List.of("INIT", "DATA(shard-00000)", "GRADIENT(3,1)", "REDUCE(2)", "UPDATE(1)", "FINAL")) {
            assertReproduced(unit, "reference");
        }
        assertReproduced("SEGMENT(0,4)", "reference");
        assertReproduced("STEP(3)", "vector");
    }

    @Test
    @Tag("slow")
    void everyUnitReplaysOnBothBackends() throws Exception {
        List<String> units = new ArrayList<>(List.of("INIT", "DATA(shard-00000)", "DATA(shard-00001)", "FINAL"));
        for (int t = 0; t < 4; t++) {
            for (String unit : List.of("GRADIENT(%d,0)", "GRADIENT(%d,1)", "REDUCE(%d)", "UPDATE(%d)", "STEP(%d)")) {
                units.add(unit.formatted(t));
            }
        }
        for (String unit : units) {
            assertReproduced(unit, "reference");
            assertReproduced(unit, "vector");
        }
    }

    @Test
    void todaysTrainerWritesTheSameBytes() throws Exception {
        assertEquals(digests(golden()), digests(TrainedRun.train(temp, CONFIG).folder()));
    }

    /** A byte of an update, in a copy: the twin that must fail. */
    @Test
    void aTwinWithOneByteChangedNeitherVerifiesNorReplays() throws Exception {
        Path twin = temp.resolve("twin");
        TrainedRun.copyFolder(golden(), twin);
        Path update = twin.resolve("updates/000000000001.update");
        byte[] bytes = Files.readAllBytes(update);
        bytes[bytes.length - 1] ^= 1;
        Files.write(update, bytes);
        assertEquals(2, CommandLineRun.of("run", "verify", twin.toString()).exitCode());
        assertNotEquals(
                0,
                CommandLineRun.of("replay", twin.toString(), "--unit", "GRADIENT(3,1)", "--backend", "reference")
                        .exitCode());
    }

    private static void assertReproduced(String unit, String backend) throws Exception {
        CommandLineRun replayed =
                CommandLineRun.of("replay", golden().toString(), "--unit", unit, "--backend", backend);
        assertEquals(0, replayed.exitCode(), unit + ": " + replayed.out() + replayed.err());
    }

    private static Path golden() throws Exception {
        var descriptor = GoldenRecordingTest.class.getResource("golden/run/descriptor.json");
        return Objects.requireNonNull(
                Path.of(Objects.requireNonNull(descriptor).toURI()).getParent());
    }

    private static Map<String, Sha256> digests(Path folder) throws IOException {
        Map<String, Sha256> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                digests.put(folder.relativize(file).toString(), Hashing.file(file));
            }
        }
        return digests;
    }
}
