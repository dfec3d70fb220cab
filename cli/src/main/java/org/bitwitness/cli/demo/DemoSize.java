package org.bitwitness.cli.demo;

import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.format.Json;

/**
 * How large a demo is, and the training configuration that follows from it.
 *
 * @param steps of each of the two runs
 * @param workers processes of each run
 * @param audits units that the auditors draw, together
 */
record DemoSize(int steps, int workers, int audits) {
    /** Auditors of a demo: enough that one of them alone decides nothing. */
    static final int AUDITORS = 3;

    private static final int SEED = 20261130;
    private static final int MOST_STEPS = 100_000;
    private static final int MOST_WORKERS = 64;

    /** Step records, a checkpoint and a commitment come together this often. */
    private static final int COMMIT_EVERY = 10;

    static DemoSize of(int steps, int workers, int audits) throws CommandFailure {
        if (steps < 1 || steps > MOST_STEPS || workers < 1 || workers > MOST_WORKERS) {
            throw CommandFailure.usage("--steps is from 1 to %d and --workers from 1 to %d, got %d and %d"
                    .formatted(MOST_STEPS, MOST_WORKERS, steps, workers));
        }
        int perAuditor = Math.ceilDiv(audits, AUDITORS);
        int population = steps + 2;
        if (audits < AUDITORS || perAuditor > population) {
            throw CommandFailure.usage("--audits is from %d to %d for %d auditors and %d steps, got %d"
                    .formatted(AUDITORS, AUDITORS * population, AUDITORS, steps, audits));
        }
        return new DemoSize(steps, workers, audits);
    }

    int unitsPerAuditor() {
        return Math.ceilDiv(audits, AUDITORS);
    }

    /** The step at which the liar lies: a bit past the middle. */
    int lieStep() {
        return steps * 5 / 8;
    }

    /** The worker that lies: 2, or the last where there are fewer. */
    int lieWorker() {
        return Math.min(2, workers - 1);
    }

    /** The configuration of the honest run; {@code docs/training.md} explains the keys. */
    Json.Obj honestConfig(String dataset) {
        return config(dataset).build();
    }

    /** The same run, but one worker multiplies its gradient at one step. The descriptor does not show it. */
    Json.Obj liarConfig(String dataset) {
        Json.Obj drill = Json.object()
                .put("kind", "scale-gradient")
                .put("step", lieStep())
                .put("worker", lieWorker())
                .put("factor", 1.5)
                .build();
        return config(dataset).put("drill", drill).build();
    }

    private Json.Builder config(String dataset) {
        return Json.object()
                .put("dataset", dataset)
                .put("seed", SEED)
                .put("workers", workers)
                .put(
                        "model",
                        Json.object()
                                .put("family", "gpt2")
                                .put("context", 128)
                                .put("width", 128)
                                .put("layers", 4)
                                .put("heads", 4)
                                .put("dropout", 0.1)
                                .build())
                .put(
                        "data",
                        Json.object()
                                .put("microBatches", 2)
                                .put("sequencesPerMicroBatch", 2)
                                .build())
                .put(
                        "schedule",
                        Json.object()
                                .put("kind", "cosine")
                                .put("steps", steps)
                                .put("warmup", Math.min(10, steps))
                                .put("base", 0.003)
                                .put("min", 0.0003)
                                .build())
                .put("trace", "operators")
                .put(
                        "storage",
                        Json.object()
                                .put("commitEvery", Math.min(COMMIT_EVERY, steps))
                                .build())
                .put(
                        "audit",
                        Json.object()
                                .put("population", "INIT,STEP,FINAL")
                                .put("unitsPerAuditor", unitsPerAuditor())
                                .put("beacon", "witness-vrf")
                                .build());
    }
}
