package org.bitwitness.cli.train;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.train.TrainingListener;

/** Draws the bar of a training run: step, loss, norm, tokens a second. */
final class TrainingProgress implements TrainingListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ProgressBar bar;
    private final LongSupplier nanos;
    private final long startedAtNanos;
    private final AtomicLong commitments = new AtomicLong();
    private final Optional<TrainingLog> log;
    private long tokens;
    private double norm;

    /** @param log gets a line for every step, where one is kept */
    TrainingProgress(ProgressBar bar, LongSupplier nanos, Optional<TrainingLog> log) {
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
        log.ifPresent(to -> to.step(step, loss, stepTokens, again));
        double seconds = Math.max(1e-9, (nanos.getAsLong() - startedAtNanos) / NANOS_PER_SECOND);
        String note = String.format(
                Locale.ROOT,
                "loss %.4f  norm %.3f  %.0f tokens/s%s",
                loss,
                norm,
                tokens / seconds,
                again ? "  (again)" : "");
        bar.update(step.value() + 1, note);
    }

    @Override
    public void committed(Commitment commitment) {
        commitments.set(commitment.sequence() + 1);
    }

    long commitments() {
        return commitments.get();
    }
}
