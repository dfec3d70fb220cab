package org.bitwitness.datasets;

import org.bitwitness.protocol.record.DataSpec;

/**
 * How a run cuts its samples into batches. Everything here is in the run's descriptor.
 *
 * @param seed of the data order; 64 bits
 * @param form of a sample
 * @param microBatches of each worker in a step
 * @param sequencesPerMicroBatch samples of a micro-batch
 */
public record BatchSpec(long seed, SampleForm form, int microBatches, int sequencesPerMicroBatch) {
    public BatchSpec {
        if (microBatches < 1 || sequencesPerMicroBatch < 1) {
            throw new IllegalArgumentException("microBatches and sequencesPerMicroBatch are at least 1, got %d, %d"
                    .formatted(microBatches, sequencesPerMicroBatch));
        }
    }

    /** Samples that run on, every id with its target. */
    public BatchSpec(long seed, int contextLength, int microBatches, int sequencesPerMicroBatch) {
        this(seed, SampleForm.running(contextLength), microBatches, sequencesPerMicroBatch);
    }

    /** What a descriptor says about data. */
    public static BatchSpec of(DataSpec data) {
        return new BatchSpec(data.seed(), SampleForm.of(data), data.microBatches(), data.sequencesPerMicroBatch());
    }

    /** Samples that a step of {@code workers} workers reads. */
    public long samplesPerStep(int workers) {
        return Math.multiplyExact((long) workers, Math.multiplyExact(microBatches, sequencesPerMicroBatch));
    }
}
