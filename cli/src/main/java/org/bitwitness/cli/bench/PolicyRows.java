package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.train.TrainingListener;

/**
 * What each policy of storage and tracing costs: bytes a step beside a raw state for every step, and time a step beside
 * the policy that keeps least. The model is small, so that the files of a step and not its arithmetic are what differs.
 */
final class PolicyRows {
    static final int STEPS = 40;
    private static final String LEAST = "\"checkpointEvery\": 1000000";

    private static final String EVERY_STEP = "state every step";

    private static final List<Policy> POLICIES = List.of(
            new Policy("first and last state", LEAST, "none"),
            new Policy("state every 10 steps", "\"checkpointEvery\": 10", "none"),
            new Policy(EVERY_STEP, "\"checkpointEvery\": 1", "none"),
            new Policy("states 5, 10, 20, 40", "\"checkpointEvery\": 5, \"checkpointGrowth\": 2", "none"),
            new Policy("update log", LEAST + ", \"updates\": \"gradients\"", "none"),
            new Policy("update log, roots", LEAST + ", \"updates\": \"gradients\"", "roots"),
            new Policy("update log, operators", LEAST + ", \"updates\": \"gradients\"", "operators"));

    /** Keys of the configuration's storage, and its trace. */
    private record Policy(String name, String storage, String trace) {
        String configuration() {
            return configuration(storage, trace, STEPS);
        }

        private static String configuration(String storage, String trace, int steps) {
            return """
                {"dataset": "data", "seed": 1, "workers": 2, "trace": "%s",
                 "model": {"layers": 2, "width": 64, "heads": 4, "ff": 256, "context": 64},
                 "data": {"microBatches": 1, "sequencesPerMicroBatch": 2}, "schedule": {"steps": %d, "warmup": 10},
                 "storage": {%s, "commitEvery": 20, "stepsPerSegment": 20}}
                """.formatted(trace, steps, storage);
        }
    }

    private final BenchRuns recordings;
    private int recorded;

    PolicyRows(BenchRuns recordings) {
        this.recordings = recordings;
    }

    /** The small model with the update log, for so many steps. */
    static String longRun(int steps) {
        return Policy.configuration(LEAST + ", \"updates\": \"gradients\"", "none", steps);
    }

    List<BenchRow> measure(int runs, Selection only) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        Policy least = POLICIES.getFirst();
        for (Policy policy : POLICIES.stream().filter(p -> only.has(p.name())).toList()) {
            Path run = recordings.record("policy-" + recorded++, policy.configuration(), TrainingListener.NONE);
            if (policy.name().equals(EVERY_STEP)) {
                rows.addAll(new CompressionRows(run, STEPS).measure(runs));
            }
            double raw = size(run.resolve("states/000000000000"));
            double perStep = (size(run) - size(run.resolve("dataset"))) / STEPS;
            rows.add(new BenchRow(policy.name(), perStep, raw, "B/step", raw / perStep, 1, 1));
            rows.add(Alternating.seconds(
                    policy.name() + ", time", 2, runs, () -> stepSeconds(policy), () -> stepSeconds(least)));
        }
        return rows;
    }

    /** From the end of the first step to the end of the last. */
    private double stepSeconds(Policy policy) throws Exception {
        AtomicLong first = new AtomicLong();
        AtomicLong last = new AtomicLong();
        Path run = recordings.record("policy-" + recorded++, policy.configuration(), new TrainingListener() {
            @Override
            public void step(StepIndex step, float loss, long tokens, boolean again) {
                last.set(System.nanoTime());
                first.compareAndSet(0, last.get());
            }
        });
        BenchRuns.delete(run);
        return (last.get() - first.get()) / 1e9 / (STEPS - 1);
    }

    static double size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            long bytes = 0;
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }
}
