package org.bitwitness.protocol;

/** Number of a state, from 0 (the initial one). State {@code t} is what step {@code t} starts from. */
public record StateIndex(long value) implements Comparable<StateIndex> {
    public StateIndex {
        if (value < 0) {
            throw new IllegalArgumentException("states are numbered from 0, got " + value);
        }
    }

    @Override
    public int compareTo(StateIndex other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
