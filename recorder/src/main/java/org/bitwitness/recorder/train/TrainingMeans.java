package org.bitwitness.recorder.train;

import java.time.Duration;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.recorder.CommitmentSink;
import org.bitwitness.recorder.ModelIdentity;

/**
 * What a run is trained with. Nothing here changes a bit of the result.
 *
 * @param threads of each worker
 * @param answerLimit longest wait for a worker's answer
 * @param exchange how gradients travel
 * @param recording whether steps are recorded; the launcher's workers must be told the same
 */
public record TrainingMeans(
        BackendId backend,
        int threads,
        WorkerLauncher launcher,
        CommitmentSink sink,
        ModelIdentity identity,
        Duration answerLimit,
        ExchangeSetting exchange,
        RecordingMode recording) {
    public static final Duration DEFAULT_ANSWER_LIMIT = Duration.ofMinutes(10);

    /** Gradients by the coordinator. */
    public TrainingMeans(
            BackendId backend,
            int threads,
            WorkerLauncher launcher,
            CommitmentSink sink,
            ModelIdentity identity,
            Duration answerLimit) {
        this(backend, threads, launcher, sink, identity, answerLimit, ExchangeSetting.STAR);
    }

    /** Of a run that is recorded. */
    public TrainingMeans(
            BackendId backend,
            int threads,
            WorkerLauncher launcher,
            CommitmentSink sink,
            ModelIdentity identity,
            Duration answerLimit,
            ExchangeSetting exchange) {
        this(backend, threads, launcher, sink, identity, answerLimit, exchange, RecordingMode.STEPS);
    }

    public TrainingMeans {
        if (threads < 1 || answerLimit.isNegative() || answerLimit.isZero()) {
            throw new IllegalArgumentException(
                    "need at least one thread and a positive limit, got %d and %s".formatted(threads, answerLimit));
        }
        if (recording == RecordingMode.NOTHING && !exchange.equals(ExchangeSetting.STAR)) {
            throw new IllegalArgumentException(
                    "without a recording gradients travel by the coordinator, not " + exchange);
        }
    }
}
