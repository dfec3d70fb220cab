package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.Main;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.SafetensorsFile;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.RowSpec;
import org.bitwitness.protocol.store.LocalFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A classifier of rows, recorded, verified and replayed. Every document of the small dataset repeats a line of 30 characters
 * ("document 2 says 4 and no more" and its end, 31 where the number has two digits); rows of 8 bytes begin at every 5th.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MlpRunTest {
    private static final String CONFIG = """
        {"dataset": "data", "seed": 5, "workers": 2,
         "model": {"family": "mlp", "layers": 2, "width": 6, "ff": 24, "context": 8, "dropout": 0.1},
         "data": {"microBatches": 2, "sequencesPerMicroBatch": 3, "stride": 5},
         "schedule": {"steps": 6, "warmup": 2, "base": 0.01},
         "storage": {"commitEvery": 2, "checkpointEvery": 6, "stepsPerSegment": 2, "updates": "gradients"}}
        """;

    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home, CONFIG);
    }

    @Test
    void runVerifyHoldsEveryRowToTheDatasetAndCountsOneTargetARow() throws Exception {
        for (CheckResult result : checks(run.folder())) {
            assertEquals(List.of(), result.differences(), result.name());
        }
        RecordingReader reader = RecordingReader.open(run.folder());
        assertEquals(12, reader.stepRecord(new StepIndex(0)).targetCount(), "2 workers, 2 micro-batches, 3 rows");
        assertEquals(
                new RowSpec(5, RowSpec.Targets.LAST), reader.descriptor().data().rows());
    }

    @Test
    void everyUnitReproducesOnEitherBackend() {
        for (String unit : List.of("INIT", "STEP(3)", "GRADIENT(4,1)", "SEGMENT(1,5)", "FINAL")) {
            for (String backend : List.of("vector", "reference")) {
                String said = bitwitness(0, "replay", run.folder().toString(), "--unit", unit, "--backend", backend);
                assertTrue(said.contains("REPRODUCED"), said);
            }
        }
    }

    @Test
    void rowsOfAnotherStrideSignedAnewAreCaughtByTheirTokens() throws Exception {
        Path forged = home.resolve("stride");
        new Forgery().descriptor(MlpRunTest::otherStride).write(run, forged);
        List<String> messages = new ArrayList<>();
        checks(forged).forEach(result -> result.differences().forEach(d -> messages.add(d.message())));
        assertTrue(messages.toString().contains("rowsRoot"), messages::toString);
    }

    private static Descriptor otherStride(Descriptor descriptor) {
        DataSpec d = descriptor.data();
        return descriptor.with(new DataSpec(
                d.datasetRoot(),
                d.contextLength(),
                d.microBatches(),
                d.sequencesPerMicroBatch(),
                d.seed(),
                new RowSpec(6, RowSpec.Targets.LAST),
                d.mixture()));
    }

    @Test
    void theReleasedFilesSayWhatTheForwardNeeds() throws Exception {
        Path released = run.folder().resolve("released");
        String config = Files.readString(released.resolve("config.json"));
        for (String field :
                List.of("\"model_type\": \"bitwitness_mlp\"", "\"hidden_size\": 24", "\"n_positions\": 8")) {
            assertTrue(config.contains(field), config);
        }
        Path weights = released.resolve("model.safetensors");
        try (SafetensorsFile file = SafetensorsFile.open("weights", LocalFile.open("weights", weights))) {
            assertEquals(7, file.tensors().size());
            assertEquals(24L * 48, file.read("hidden.0.weight").length);
        }
        String shown = bitwitness(0, "dataset", "show", run.folder().toString(), "--step", "3", "--worker", "1");
        assertTrue(shown.contains(".txt, tokens "), shown);
        assertTrue(bitwitness(0, "run", "show", run.folder().toString()).contains("mlp"));
    }

    private static List<CheckResult> checks(Path folder) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder)
                .results();
    }

    private static String bitwitness(int exitCode, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertEquals(exitCode, Main.run(new PrintWriter(out), new PrintWriter(err), arguments), err::toString);
        return out.toString();
    }
}
