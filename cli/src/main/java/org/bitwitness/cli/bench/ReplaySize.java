package org.bitwitness.cli.bench;

import java.util.Locale;

/**
 * How large the runs of the replay group are. The model is a GPT-2; a worker has two micro-batches of two sequences.
 *
 * @param vocab of the demo's bytes
 * @param steps of a run whose steps are timed
 * @param segment steps of the segment that is bisected
 */
record ReplaySize(int layers, int width, int heads, int context, int vocab, int steps, int segment) {
    /** The demo's model. */
    static final ReplaySize DEMO = new ReplaySize(4, 128, 4, 128, 257, 11, 20);

    private static final int SEQUENCES_PER_WORKER = 4;

    /** A run without traces. */
    String plain(int workers) {
        return config(workers, steps, "none", "");
    }

    /** A run with operator traces as long as the segment, which begins at state 0. */
    String traced(int workers) {
        return config(workers, segment, "operators", "");
    }

    /** The same, where the last worker changes its gradient of the last step: the farthest place there is. */
    String faulty(int workers) {
        String drill = "\"drill\": {\"kind\": \"scale-gradient\", \"step\": %d, \"worker\": %d, \"factor\": 1.5},"
                .formatted(segment - 1, workers - 1);
        return config(workers, segment, "operators", drill);
    }

    private String config(int workers, int all, String trace, String drill) {
        return String.format(
                Locale.ROOT,
                """
                {"dataset": "%s", "seed": 1, "workers": %d, "trace": "%s", %s
                 "model": {"layers": %d, "width": %d, "heads": %d, "ff": %d, "context": %d, "dropout": 0.1},
                 "data": {"microBatches": 2, "sequencesPerMicroBatch": 2}, "schedule": {"steps": %d, "warmup": 1},
                 "storage": {"checkpointEvery": %d, "commitEvery": %d, "stepsPerSegment": %d}}
                """,
                BenchRuns.DATASET,
                workers,
                trace,
                drill,
                layers,
                width,
                heads,
                4 * width,
                context,
                all,
                all,
                all,
                all);
    }

    double tokensPerStep(int workers) {
        return (double) workers * SEQUENCES_PER_WORKER * context;
    }

    /**
     * Multiply-adds of forward and backward pass for a token, counted as two operations each: 6 for each weight of a matrix
     * product (12 width² a layer, and the output over the vocabulary), and the two products of causal attention, which see half
     * of the context on average.
     */
    double flopsPerToken() {
        double weights = 12.0 * layers * width * width + (double) vocab * width;
        return 6 * weights + 6.0 * layers * width * context;
    }
}
