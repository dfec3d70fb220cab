package org.bitwitness.protocol.record;

/**
 * How often things are written, in steps.
 *
 * @param checkpointEvery a state is stored whenever its index is a multiple of this, and at the end
 * @param commitEvery a commitment is made whenever the steps so far are a multiple of this, and at the end
 * @param stepsPerSegment step records in one file
 * @param updates what is kept between stored states
 */
public record StorageSpec(long checkpointEvery, long commitEvery, int stepsPerSegment, UpdatePolicy updates) {
    public static final int MAX_STEPS_PER_SEGMENT = 1 << 16;

    public StorageSpec {
        require(checkpointEvery >= 1, "checkpointEvery should be at least 1");
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

    /** Without an update log. */
    public StorageSpec(long checkpointEvery, long commitEvery, int stepsPerSegment) {
        this(checkpointEvery, commitEvery, stepsPerSegment, UpdatePolicy.NONE);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("storage: " + what);
        }
    }
}
