package org.bitwitness.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.support.CommandFailure;
import org.junit.jupiter.api.Test;

class BenchTest {
    @Test
    void runsAlternateAndTheFirstOfEachIsNotCounted() throws Exception {
        List<String> order = new ArrayList<>();
        Iterator<Double> ours = List.of(99.0, 2.0, 1.0, 3.0, 9.0, 2.5).iterator();
        Iterator<Double> peer = List.of(99.0, 5.0, 5.0, 5.0, 5.0, 5.0).iterator();
        BenchRow row = Alternating.seconds(
                "x",
                1,
                5,
                () -> {
                    order.add("ours");
                    return ours.next();
                },
                () -> {
                    order.add("peer");
                    return peer.next();
                });
        assertEquals(new BenchRow("x", 2.5, 5.0, "s", 2.0, 1, 5), row);
        for (int i = 0; i < order.size(); i++) {
            assertEquals(i % 2 == 0 ? "ours" : "peer", order.get(i));
        }
    }

    @Test
    void aHigherRateIsBetter() throws Exception {
        assertEquals(
                2.0,
                Alternating.gibibytesPerSecond("x", 1, 5, () -> 4.0, () -> 2.0).ratio());
    }

    @Test
    void fewerThanFiveRunsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Alternating.seconds("x", 1, 4, () -> 1.0, () -> 1.0));
        assertEquals(1, CommandLineRun.of("bench", "startup", "--runs", "4").exitCode());
    }

    @Test
    void opensslsRateIsRead() throws Exception {
        String output = "+DT:sha256:1:16384\n+R:70000:sha256:1.000000\n+H:16384\n+F:25:sha256:1073741824.00\n";
        assertEquals(1.0, StateHashing.opensslRate(output));
        assertThrows(CommandFailure.class, () -> StateHashing.opensslRate("unknown option"));
    }

    @Test
    void withoutAGroupTheGroupsAreListed() throws Exception {
        CommandLineRun run = CommandLineRun.of("bench", "--json");
        assertEquals(0, run.exitCode());
        assertTrue(new ObjectMapper().readTree(run.out()).has("startup"), run.out());
    }

    @Test
    void anUnknownGroupIsAnsweredWithTheNearest() {
        CommandLineRun run = CommandLineRun.of("bench", "startp");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("did you mean startup?"), run.err());
    }

    @Test
    void rowsAreChosenByTheBeginningOfTheirNames() {
        Selection only = Selection.parse("gemm,step-512");
        assertTrue(only.has("gemm-512-512-512"));
        assertTrue(only.has("step-512-4-256-4-8192"));
        assertFalse(only.has("step-256-4-256-8-4096"));
        assertFalse(only.has("memory-step-512-4-256-4-8192"));
        assertTrue(Selection.ALL.has("anything"));
    }

    @Test
    void aSelectionThatFitsNoRowIsRefusedBeforeAnythingRuns() {
        CommandLineRun run = CommandLineRun.of("bench", "cpu", "--only", "gem-512");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("gem-512"), run.err());
    }

    @Test
    void theStepThatIsMeasuredIsAValidOne() throws Exception {
        try (StepCase step = new StepCase(StepSize.named("step-demo"), 1)) {
            step.once();
            step.once();
        }
        assertThrows(CommandFailure.class, () -> StepSize.named("step-none"));
    }

    @Test
    void aTinyReplayGroupHasEveryRow() throws Exception {
        ReplayGroup tiny = new ReplayGroup(new ReplaySize(1, 16, 2, 16, 257, 3, 3));
        List<BenchRow> rows = tiny.measure(Alternating.FEWEST_RUNS);
        assertEquals(
                List.of("step-1", "tokens-1", "flops-1", "step-2", "tokens-2", "flops-2", "bisection-3"),
                rows.stream().map(BenchRow::name).toList());
        for (BenchRow row : rows) {
            assertEquals(row.unit().equals("s") ? row.peer() / row.ours() : row.ours() / row.peer(), row.ratio(), 1e-9);
        }
        // Two sequences in each of two micro-batches, and 16 tokens in each.
        assertEquals(
                64 / rows.get(0).ours(), rows.get(1).ours(), 1e-6 * rows.get(1).ours());
        assertEquals(
                128 / rows.get(3).peer(), rows.get(4).peer(), 1e-6 * rows.get(4).peer());
    }

    @Test
    void operationsOfATokenAreThoseOfItsMatrixProducts() {
        // 6 for each of 12·128² weights in 4 layers and of 257·128 in the output; attention over half of 128 on
        // average.
        double expected = 6 * (4 * 12 * 16_384 + 257 * 128) + 4 * 2 * 2 * 3 * (128 / 2.0) * 128;
        assertEquals(expected, ReplaySize.DEMO.flopsPerToken(), 1e-9);
    }
}
