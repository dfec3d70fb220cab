package org.bitwitness.protocol;

/** Half-open span of steps: {@code firstStep} is in, {@code endStep} is not. */
public record StepRange(long firstStep, long endStep) {
    public StepRange {
        if (firstStep < 0 || endStep <= firstStep) {
            throw new IllegalArgumentException(
                    "need 0 <= firstStep < endStep, got [%d, %d)".formatted(firstStep, endStep));
        }
    }

    public long stepCount() {
        return endStep - firstStep;
    }

    public boolean contains(StepIndex step) {
        return step.value() >= firstStep && step.value() < endStep;
    }
}
