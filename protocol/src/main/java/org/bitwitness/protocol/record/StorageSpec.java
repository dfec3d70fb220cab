package org.bitwitness.protocol.record;

/**
 * How often things are written, in steps.
 *
 * <p>Stored states are 0, the last one, and by {@code checkpointGrowth} either every multiple of {@code checkpointEvery}
 * (growth 1) or {@code checkpointEvery} times each power of the growth: few full states, the further the fewer, for runs
 * whose updates are kept.
 *
 * @param checkpointEvery index of the first state after 0 that is stored
 * @param checkpointGrowth 1, or by how much each later stored index is larger than the one before
 * @param commitEvery a commitment is made whenever the steps so far are a multiple of this, and at the end
 * @param stepsPerSegment step records in one file
 * @param updates what is kept between stored states
 */
public record StorageSpec(
        long checkpointEvery, int checkpointGrowth, long commitEvery, int stepsPerSegment, UpdatePolicy updates) {
    public static final int MAX_STEPS_PER_SEGMENT = 1 << 16;
    public static final int MAX_GROWTH = 1 << 16;

    public StorageSpec {
        require(checkpointEvery >= 1, "checkpointEvery should be at least 1");
        require(
                checkpointGrowth >= 1 && checkpointGrowth <= MAX_GROWTH,
                "checkpointGrowth should be from 1 to " + MAX_GROWTH);
        require(commitEvery >= 1, "commitEvery should be at least 1");
        require(
                stepsPerSegment >= 1 && stepsPerSegment <= MAX_STEPS_PER_SEGMENT,
                "stepsPerSegment should be from 1 to " + MAX_STEPS_PER_SEGMENT);
        require(commitEvery % stepsPerSegment == 0, "commitEvery should be a multiple of stepsPerSegment");
    }

    /** First step of the file that holds a step's record. */
    public long segmentStart(long step) {
        return step / stepsPerSegment * stepsPerSegment;
    }

    /** A state at every multiple, and no update log. */
    public StorageSpec(long checkpointEvery, long commitEvery, int stepsPerSegment) {
        this(checkpointEvery, 1, commitEvery, stepsPerSegment, UpdatePolicy.NONE);
    }

    /** True where the state of this index is stored, whether or not it is the last one. */
    public boolean storesState(long stateIndex) {
        return storedAt(storedBefore(stateIndex)) == stateIndex;
    }

    /** How many stored states have an index below {@code end}. */
    public long storedBefore(long end) {
        if (checkpointGrowth == 1 || end == 0) {
            return Math.ceilDiv(end, checkpointEvery);
        }
        long count = 1;
        while (storedAt(count) < end) {
            count++;
        }
        return count;
    }

    /** Index of a stored state by its place among them, from 0; the largest number where it would be larger. */
    public long storedAt(long place) {
        if (checkpointGrowth == 1) {
            return place > Long.MAX_VALUE / checkpointEvery ? Long.MAX_VALUE : place * checkpointEvery;
        }
        if (place == 0) {
            return 0;
        }
        long index = checkpointEvery;
        for (long power = 1; power < place; power++) {
            if (index > Long.MAX_VALUE / checkpointGrowth) {
                return Long.MAX_VALUE;
            }
            index *= checkpointGrowth;
        }
        return index;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("storage: " + what);
        }
    }
}
