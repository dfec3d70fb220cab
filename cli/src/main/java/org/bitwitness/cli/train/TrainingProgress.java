package org.bitwitness.cli.train;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.train.TrainingListener;

/** Draws the bar of a training run: step, loss, norm, tokens a second, time left. */
final class TrainingProgress implements TrainingListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ProgressBar bar;
    private final LongSupplier nanos;
    private final long startedAtNanos;
    private final AtomicLong commitments = new AtomicLong();
    private final Optional<TrainingLog> log;
    private final long steps;
    private long stepsHere;
    private long tokens;
    private double norm;

    /**
     * @param steps of the run
     * @param log gets a line for every step, where one is kept
     */
    TrainingProgress(ProgressBar bar, long steps, LongSupplier nanos, Optional<TrainingLog> log) {
        this.steps = steps;
        this.log = log;
        this.bar = bar;
        this.nanos = nanos;
        this.startedAtNanos = nanos.getAsLong();
    }

    @Override
    public void reduced(StepIndex step, ReductionFacts facts) {
        norm = facts.norm();
        log.ifPresent(to -> to.reduced(facts));
    }

    @Override
    public void step(StepIndex step, float loss, long stepTokens, boolean again) {
        tokens += stepTokens;
        stepsHere++;
        log.ifPresent(to -> to.step(step, loss, stepTokens, again));
        double seconds = Math.max(1e-9, (nanos.getAsLong() - startedAtNanos) / NANOS_PER_SECOND);
        String note = String.format(
                Locale.ROOT,
                "loss %.4f  norm %.3f  %.0f tokens/s  %.0f s left%s",
                loss,
                norm,
                tokens / seconds,
                // As fast as the steps of this process so far; those before a resume took no time here.
                seconds * (steps - step.value() - 1) / stepsHere,
                again ? "  (again)" : "");
        bar.update(step.value() + 1, note);
    }

    @Override
    public void workerDropped(StepIndex step, LostWorkerException lost) {
        bar.say("%s; step %s and on without worker %s".formatted(lost.getMessage(), step, lost.worker()));
    }

    @Override
    public void momentsHeld(List<Long> bytes, long whole) {
        boolean sharded = bytes.stream().anyMatch(held -> held != whole);
        if (sharded) {
            bar.say("optimizer state sharded: of %d bytes of moments the workers hold %s".formatted(whole, bytes));
        }
    }

    @Override
    public void committed(Commitment commitment) {
        commitments.set(commitment.sequence() + 1);
    }

    long commitments() {
        return commitments.get();
    }
}
