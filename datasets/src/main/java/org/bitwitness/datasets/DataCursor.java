package org.bitwitness.datasets;

import org.bitwitness.protocol.record.Scalars;

/**
 * Where in the data order a state stands: the next sample to read is number {@code samplePosition} of epoch
 * {@code epoch}. Part of the state root, so a resumed or re-laid-out run goes on with the very next sample.
 */
public record DataCursor(long epoch, long samplePosition) {
    public static final DataCursor START = new DataCursor(0, 0);

    public DataCursor {
        if (epoch < 0 || samplePosition < 0) {
            throw new IllegalArgumentException(
                    "epoch and samplePosition are not negative, got %d, %d".formatted(epoch, samplePosition));
        }
    }

    /** The cursor of a state. */
    public static DataCursor of(Scalars scalars) {
        return new DataCursor(scalars.epoch(), scalars.samplePosition());
    }

    /**
     * The cursor after {@code samples} more samples; past the last sample of an epoch the next epoch begins.
     *
     * @param sampleCount samples of an epoch
     * @throws IllegalArgumentException if this cursor is not inside an epoch of {@code sampleCount}
     */
    public DataCursor advance(long samples, long sampleCount) {
        if (samplePosition >= sampleCount) {
            throw new IllegalArgumentException("position %d is outside an epoch of %d samples: the cursor belongs to "
                            .formatted(samplePosition, sampleCount)
                    + "another dataset or context length");
        }
        long position = Math.addExact(samplePosition, samples);
        return new DataCursor(Math.addExact(epoch, position / sampleCount), position % sampleCount);
    }
}
