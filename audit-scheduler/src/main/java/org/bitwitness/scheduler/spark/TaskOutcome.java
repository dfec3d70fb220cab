package org.bitwitness.scheduler.spark;

/** How a task ended. */
public sealed interface TaskOutcome {

    /** The task's function returned {@code text}. */
    record Answered(String text) implements TaskOutcome {}

    /** The task threw; {@code reason} is one line fit for a verdict. */
    record Failed(String reason) implements TaskOutcome {}
}
