package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.Main;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.WorkerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A run of two workers that a third one joins at step 1; from step 3 on worker 1 is gone. It keeps updates. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ElasticRunTest {
    private static final String CHANGES = TrainedRun.CONFIG
            .replace(
                    "\"seed\": 5,",
                    "\"seed\": 5, \"elastic\": [{\"atStep\": 1, \"workers\": [0, 1, 2]}, {\"atStep\": 3, \"workers\": [2, 0]}],")
            .replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 4, \"updates\": \"gradients\"");

    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home, CHANGES);
    }

    @Test
    void runVerifyFollowsTheLayoutOfEachStep() throws Exception {
        for (CheckResult result : checks(run.folder())) {
            assertEquals(List.of(), result.differences(), result.name());
        }
    }

    @Test
    void replayFollowsTheLayoutOfEachStep() {
        for (String unit : List.of("SEGMENT(0,4)", "STEP(3)", "GRADIENT(1,2)", "UPDATE(2)", "FINAL")) {
            assertTrue(
                    bitwitness(0, "replay", run.folder().toString(), "--unit", unit)
                            .contains("REPRODUCED"),
                    unit);
        }
        bitwitness(1, "replay", run.folder().toString(), "--unit", "GRADIENT(3,1)");
        bitwitness(1, "replay", run.folder().toString(), "--unit", "GRADIENT(0,2)");
    }

    @Test
    void theChangesAndWhatAJoinedWorkerReadAreShown() {
        String shown = bitwitness(0, "run", "show", run.folder().toString());
        assertTrue(shown.contains("layout       from step 1: workers [0, 1, 2]"), shown);
        assertTrue(shown.contains("layout       from step 3: workers [2, 0]"), shown);
        String read = bitwitness(0, "dataset", "show", run.folder().toString(), "--step", "3", "--worker", "2");
        assertTrue(read.contains("micro-batch 1, sample"), read);
    }

    /** The liar signs everything again each time. */
    @Test
    void aChangeThatIsNotInTheDescriptorIsCaught() throws Exception {
        Path forged = home.resolve("unplanned");
        new Forgery().descriptor(d -> elastic(d, Optional.empty())).write(run, forged);
        assertDiffers(forged, "step records", "layout");
        assertTrue(bitwitness(2, "replay", forged.toString(), "--unit", "INIT").contains("DIVERGED"));
    }

    @Test
    void aChangeOneStepLaterThanPlannedIsCaught() throws Exception {
        Path forged = home.resolve("later");
        ElasticSpec later = new ElasticSpec(List.of(change(2, 0, 1, 2), change(3, 2, 0)), false);
        new Forgery().descriptor(d -> elastic(d, Optional.of(later))).write(run, forged);
        assertDiffers(forged, "step records", "step 1 layout");
    }

    @Test
    void aWorkerMayBeMissingOnlyWhereLostOnesAreDropped() throws Exception {
        Path forged = home.resolve("missing");
        new Forgery()
                .step(2, r -> Edit.of(r).workers(withoutLast(r.workers())).build())
                .write(run, forged);
        assertDiffers(forged, "step records", "step 2 layout");
        assertDiffers(forged, "states", "samplePosition");
        assertTrue(
                bitwitness(2, "replay", forged.toString(), "--unit", "STEP(2)").contains("layout"));
    }

    @Test
    void workersInAnotherOrderThanTheRecordOfTheChangeAreCaught() throws Exception {
        Path forged = home.resolve("order");
        new Forgery()
                .step(3, r -> Edit.of(r).workers(r.workers().reversed()).build())
                .write(run, forged);
        assertDiffers(forged, "step records", "step 3 layout");
        assertTrue(
                bitwitness(2, "replay", forged.toString(), "--unit", "STEP(3)").contains("layout"));
    }

    private static List<WorkerRecord> withoutLast(List<WorkerRecord> workers) {
        return workers.subList(0, workers.size() - 1);
    }

    private static ElasticSpec.Change change(long step, int... workers) {
        return new ElasticSpec.Change(
                step, new Layout(Arrays.stream(workers).mapToObj(WorkerId::new).toList()));
    }

    private static Descriptor elastic(Descriptor d, Optional<ElasticSpec> elastic) {
        return new Descriptor(
                d.profile(),
                d.seed(),
                d.model(),
                d.optimizer(),
                d.schedule(),
                d.dropout(),
                d.data(),
                d.tokenizer(),
                d.initial(),
                d.aggregation(),
                d.layout(),
                d.trace(),
                d.storage(),
                d.detectors(),
                elastic);
    }

    private static void assertDiffers(Path folder, String check, String... fields) throws Exception {
        CheckResult result = checks(folder).stream()
                .filter(one -> one.name().equals(check))
                .findFirst()
                .orElseThrow();
        assertEquals(CheckResult.Outcome.DIFFERS, result.outcome());
        for (String field : fields) {
            assertTrue(
                    result.differences().stream().anyMatch(d -> d.message().contains(field)),
                    () -> field + ": " + result.differences());
        }
    }

    private static List<CheckResult> checks(Path folder) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder)
                .results();
    }

    private static String bitwitness(int exit, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int found = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        assertEquals(exit, found, () -> out + "\n" + err);
        return out.toString();
    }
}
