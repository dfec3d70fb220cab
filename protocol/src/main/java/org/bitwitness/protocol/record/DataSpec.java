package org.bitwitness.protocol.record;

import java.util.Optional;
import org.bitwitness.protocol.DatasetRoot;

/**
 * What is read and in which portions.
 *
 * @param contextLength tokens of one sample
 * @param microBatches micro-batches of one worker in one step
 * @param seed key of the order of samples
 * @param rows where samples begin, and which of their ids have a target
 * @param mixture parts and their shares; empty where every pass reads the whole dataset once
 */
public record DataSpec(
        DatasetRoot datasetRoot,
        int contextLength,
        int microBatches,
        int sequencesPerMicroBatch,
        long seed,
        RowSpec rows,
        Optional<MixtureSpec> mixture) {
    private static final int MAX_COUNT = 1 << 16;

    public DataSpec {
        require("contextLength", contextLength, ModelSpec.MAX_EXTENT);
        require("microBatches", microBatches, MAX_COUNT);
        require("sequencesPerMicroBatch", sequencesPerMicroBatch, MAX_COUNT);
    }

    /** Rows that run on, every id with its target. */
    public DataSpec(
            DatasetRoot datasetRoot,
            int contextLength,
            int microBatches,
            int sequencesPerMicroBatch,
            long seed,
            Optional<MixtureSpec> mixture) {
        this(
                datasetRoot,
                contextLength,
                microBatches,
                sequencesPerMicroBatch,
                seed,
                RowSpec.running(contextLength),
                mixture);
    }

    /** Targets of one micro-batch of one worker, where no id is padding. */
    public long targetsOfMicroBatch() {
        return sequencesPerMicroBatch * rows.targetsOf(contextLength);
    }

    /** Without a mixture. */
    public DataSpec(
            DatasetRoot datasetRoot, int contextLength, int microBatches, int sequencesPerMicroBatch, long seed) {
        this(datasetRoot, contextLength, microBatches, sequencesPerMicroBatch, seed, Optional.empty());
    }

    private static void require(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException("data.%s should be from 1 to %d, is %d".formatted(name, max, value));
        }
    }
}
