package org.bitwitness.cli.train;

import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalDouble;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.recorder.train.TrainingResult;

/**
 * What {@code train} prints.
 *
 * @param loss of the last step; empty where it is no finite number, which JSON has not
 */
record TrainSummary(
        String recording,
        String runId,
        String finalStateRoot,
        long steps,
        long invalidSteps,
        OptionalDouble loss,
        long commitments,
        boolean logged,
        double seconds,
        double tokensPerSecond) {
    private static final double MILLIS_PER_SECOND = 1e3;

    static TrainSummary of(TrainingResult result, Path recording, long commitments, boolean logged) {
        double seconds = Math.max(1, result.wall().toMillis()) / MILLIS_PER_SECOND;
        return new TrainSummary(
                recording.toString(),
                result.runId().toString(),
                result.finalStateRoot().toString(),
                result.steps(),
                result.invalidSteps(),
                Float.isFinite(result.finalLoss()) ? OptionalDouble.of(result.finalLoss()) : OptionalDouble.empty(),
                commitments,
                logged,
                seconds,
                result.tokens() / seconds);
    }

    CommandResult result() {
        String invalid = invalidSteps == 0 ? "" : ", %d of them INVALID".formatted(invalidSteps);
        return CommandResult.ok(
                this,
                String.format(
                        Locale.ROOT,
                        "%s: %d steps%s in %.1f s (%.0f tokens/s), loss %.4f, %d commitments %s, final state root %s",
                        recording,
                        steps,
                        invalid,
                        seconds,
                        tokensPerSecond,
                        loss.orElse(Double.NaN),
                        commitments,
                        logged ? "logged" : "signed, not logged",
                        finalStateRoot));
    }
}
