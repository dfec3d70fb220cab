package org.bitwitness.protocol;

/** Number of a step, from 0. Step {@code t} turns state {@code t} into state {@code t + 1}. */
public record StepIndex(long value) implements Comparable<StepIndex> {
    public StepIndex {
        if (value < 0) {
            throw new IllegalArgumentException("steps are numbered from 0, got " + value);
        }
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
