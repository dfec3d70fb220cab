package org.bitwitness.protocol;

/** Number of a step, from 0. Step {@code t} turns state {@code t} into state {@code t + 1}. */
public record StepIndex(long value) implements Comparable<StepIndex> {
    public StepIndex {
        if (value < 0) {
            throw new IllegalArgumentException("steps are numbered from 0, got " + value);
        }
    }

    public static StepIndex of(long value) {
        return new StepIndex(value);
    }

    public StepIndex next() {
        return new StepIndex(Math.addExact(value, 1));
    }

    /** The state that this step starts from. */
    public StateIndex stateBefore() {
        return new StateIndex(value);
    }

    /** The state that this step ends in. */
    public StateIndex stateAfter() {
        return new StateIndex(Math.addExact(value, 1));
    }

    @Override
    public int compareTo(StepIndex other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
