package org.bitwitness.protocol;

/** Id of a worker in a run, from 0 to 65,535; dropout counters and replay proofs keep it in 16 bits. */
public record WorkerId(int value) implements Comparable<WorkerId> {
    public static final int MAX = 0xFFFF;

    public WorkerId {
        if (value < 0 || value > MAX) {
            throw new IllegalArgumentException("worker ids run from 0 to " + MAX + ", got " + value);
        }
    }

    @Override
    public int compareTo(WorkerId other) {
        return Integer.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
