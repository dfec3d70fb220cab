package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.Main;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.MixtureSpec;
import org.bitwitness.protocol.record.MixtureSpec.Part;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A run over two parts of a dataset, shares 3 and 1, whole and with its weights edited after the fact. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MixtureRunTest {
    private static final String MIXED = TrainedRun.CONFIG.replace(
            "\"microBatches\": 2,",
            "\"mixture\": [{\"documents\": \"doc-0\", \"weight\": 3}, {\"documents\": \"doc-4\", \"weight\": 1}],"
                    + " \"microBatches\": 2,");

    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home, MIXED);
    }

    @Test
    void theOrderOfAMixtureIsComputedAgainByRunVerify() throws Exception {
        for (CheckResult result : new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(run.folder())
                .results()) {
            assertEquals(List.of(), result.differences(), result.name());
        }
    }

    @Test
    void editedWeightsAreCaughtWhenEverythingIsSignedAgain() throws Exception {
        Path forged = home.resolve("weights");
        new Forgery()
                .descriptor(d -> mixed(d, new Part("doc-0", 1), new Part("doc-4", 3)))
                .write(run, forged);
        CheckResult order = batchOrder(forged);
        assertEquals(CheckResult.Outcome.DIFFERS, order.outcome());
        assertTrue(
                order.differences().stream().anyMatch(d -> d.message().contains("sampleIds")),
                () -> order.differences().toString());
    }

    @Test
    void aPartThatTheDatasetDoesNotHaveIsNamed() throws Exception {
        Path forged = home.resolve("part");
        new Forgery()
                .descriptor(d -> mixed(d, new Part("doc-0", 3), new Part("nothing", 1)))
                .write(run, forged);
        CheckResult order = batchOrder(forged);
        assertEquals(CheckResult.Outcome.DIFFERS, order.outcome());
        assertTrue(
                order.differences().toString().contains("\"nothing\""),
                () -> order.differences().toString());
    }

    @Test
    void replayFollowsTheMixture() {
        assertTrue(bitwitness("replay", run.folder().toString(), "--unit", "STEP(3)")
                .contains("REPRODUCED"));
    }

    @Test
    void whatAWorkerReadIsShownWithItsPartDocumentAndPlace() {
        String shown = bitwitness("dataset", "show", run.folder().toString(), "--step", "3", "--worker", "1");
        assertTrue(shown.contains("of the part \"doc-0\" in its pass "), shown);
        assertTrue(shown.contains("  doc-0.txt, tokens "), shown);
    }

    private static String bitwitness(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertEquals(0, Main.run(new PrintWriter(out), new PrintWriter(err), arguments), err::toString);
        return out.toString();
    }

    private static Descriptor mixed(Descriptor descriptor, Part... parts) {
        DataSpec d = descriptor.data();
        return descriptor.with(new DataSpec(
                d.datasetRoot(),
                d.contextLength(),
                d.microBatches(),
                d.sequencesPerMicroBatch(),
                d.seed(),
                Optional.of(new MixtureSpec(List.of(parts)))));
    }

    private static CheckResult batchOrder(Path folder) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder).results().stream()
                        .filter(result -> result.name().equals("batch order"))
                        .findFirst()
                        .orElseThrow();
    }
}
