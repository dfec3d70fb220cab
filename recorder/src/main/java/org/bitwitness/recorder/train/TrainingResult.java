package org.bitwitness.recorder.train;

import java.time.Duration;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;

/**
 * A finished run.
 *
 * @param steps of the whole run
 * @param invalidSteps how many of those done now were INVALID
 * @param tokens read now
 * @param finalLoss loss of the last step
 */
public record TrainingResult(
        RunId runId,
        StateRoot finalStateRoot,
        long steps,
        long invalidSteps,
        long tokens,
        float finalLoss,
        Duration wall) {}
