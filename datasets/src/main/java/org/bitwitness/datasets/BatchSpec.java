package org.bitwitness.datasets;

import org.bitwitness.protocol.record.DataSpec;

/**
 * How a run cuts its samples into batches. Everything here is in the run's descriptor.
 *
 * @param seed of the data order; 64 bits
 * @param contextLength tokens of a sample
 * @param microBatches of each worker in a step
 * @param sequencesPerMicroBatch samples of a micro-batch
 */
public record BatchSpec(long seed, int contextLength, int microBatches, int sequencesPerMicroBatch) {
    public BatchSpec {
        if (contextLength < 1 || microBatches < 1 || sequencesPerMicroBatch < 1) {
            throw new IllegalArgumentException(
                    "contextLength, microBatches and sequencesPerMicroBatch are at least 1, got %d, %d, %d"
                            .formatted(contextLength, microBatches, sequencesPerMicroBatch));
        }
    }

    /** What a descriptor says about data. */
    public static BatchSpec of(DataSpec data) {
        return new BatchSpec(data.seed(), data.contextLength(), data.microBatches(), data.sequencesPerMicroBatch());
    }

    /** Samples that a step of {@code workers} workers reads. */
    public long samplesPerStep(int workers) {
        return Math.multiplyExact((long) workers, Math.multiplyExact(microBatches, sequencesPerMicroBatch));
    }
}
