package org.bitwitness.cli.train;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.train.TrainingListener;

/** Draws the bar of a training run: step, loss, tokens a second. */
final class TrainingProgress implements TrainingListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ProgressBar bar;
    private final LongSupplier nanos;
    private final long startedAtNanos;
    private final AtomicLong commitments = new AtomicLong();
    private long tokens;

    TrainingProgress(ProgressBar bar, LongSupplier nanos) {
        this.bar = bar;
        this.nanos = nanos;
        this.startedAtNanos = nanos.getAsLong();
    }

    @Override
    public void step(StepIndex step, float loss, long stepTokens, boolean again) {
        tokens += stepTokens;
        double seconds = Math.max(1e-9, (nanos.getAsLong() - startedAtNanos) / NANOS_PER_SECOND);
        String note = String.format(
                Locale.ROOT, "loss %.4f  %.0f tokens/s%s", loss, tokens / seconds, again ? "  (again)" : "");
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
