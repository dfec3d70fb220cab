package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.train.RecordingMode;
import org.bitwitness.recorder.train.TrainingListener;

/**
 * The step of the reference trainer recorded, beside the same step when nothing is hashed or kept, four workers each, in
 * turn. A row's ratio below 1 is what recording costs; both sides must end in the same state.
 */
final class OnOffRows {
    private static final int WORKERS = 4;
    private static final int STEPS = 4;
    private static final int CONTEXT = 128;

    private static final List<Case> CASES = List.of(
            new Case("step recorded 16384 tokens", 16_384, "none"),
            new Case("step recorded 4096 tokens", 4_096, "none"),
            new Case("step with trace roots 16384 tokens", 16_384, "roots"),
            new Case("step with trace operators 16384 tokens", 16_384, "operators"),
            new Case("step with trace operators 4096 tokens", 4_096, "operators"));

    /** @param tokens of a step, all workers together */
    private record Case(String name, int tokens, String trace) {
        String configuration() {
            return """
                {"dataset": "data", "seed": 1, "workers": %d, "trace": "%s",
                 "model": {"layers": 4, "width": 128, "heads": 4, "ff": 512, "context": %d},
                 "data": {"microBatches": 1, "sequencesPerMicroBatch": %d}, "schedule": {"steps": %d, "warmup": 2},
                 "storage": {"checkpointEvery": 1000000, "commitEvery": 2, "stepsPerSegment": 2}}
                """.formatted(WORKERS, trace, CONTEXT, tokens / WORKERS / CONTEXT, STEPS);
        }
    }

    /** Seconds of a step, and where the run ended. */
    private record Trained(double seconds, StateRoot last) {}

    private final BenchRuns runs;
    private int trained;

    OnOffRows(BenchRuns runs) {
        this.runs = runs;
    }

    List<BenchRow> measure(int pairs, Selection selection) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        for (Case c : CASES) {
            if (selection.has(c.name())) {
                rows.add(measure(c, pairs));
            }
        }
        return rows;
    }

    private BenchRow measure(Case c, int pairs) throws Exception {
        StateRoot expected = train(c, RecordingMode.NOTHING).last();
        return Alternating.seconds(
                c.name(),
                WORKERS,
                pairs,
                () -> seconds(c, RecordingMode.STEPS, expected),
                () -> seconds(c, RecordingMode.NOTHING, expected));
    }

    private double seconds(Case c, RecordingMode mode, StateRoot expected) throws Exception {
        Trained found = train(c, mode);
        if (!found.last().equals(expected)) {
            throw new IllegalStateException(
                    "recorded or not, the run should end in state %s, ends in %s".formatted(expected, found.last()));
        }
        return found.seconds();
    }

    /** From the end of the first step to the end of the last; the first one warms up. */
    private Trained train(Case c, RecordingMode mode) throws Exception {
        AtomicLong first = new AtomicLong();
        AtomicLong last = new AtomicLong();
        String name = "onoff-" + trained++;
        StateRoot root = runs.train(
                        name,
                        c.configuration(),
                        new TrainingListener() {
                            @Override
                            public void step(StepIndex step, float loss, long tokens, boolean again) {
                                last.set(System.nanoTime());
                                first.compareAndSet(0, last.get());
                            }
                        },
                        mode)
                .finalStateRoot();
        runs.delete(name);
        return new Trained((last.get() - first.get()) / 1e9 / (STEPS - 1), root);
    }
}
