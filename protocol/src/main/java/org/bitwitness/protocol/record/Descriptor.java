package org.bitwitness.protocol.record;

import org.bitwitness.protocol.ProfileId;

/**
 * Everything that does not change in a run. Its file, {@code descriptor.json}, is written and read by
 * {@code org.bitwitness.protocol.format.DescriptorJson}; its digest is in every state root.
 *
 * @param seed key of the run's random numbers
 * @param detectors what is recorded of every gradient for detectors
 * @param layout workers of every step; each step record names its own, which has to be this one
 */
public record Descriptor(
        ProfileId profile,
        long seed,
        ModelSpec model,
        OptimizerSpec optimizer,
        ScheduleSpec schedule,
        DropoutSpec dropout,
        DataSpec data,
        TokenizerSpec tokenizer,
        InitialSpec initial,
        AggregationSpec aggregation,
        Layout layout,
        TracePolicy trace,
        StorageSpec storage,
        DetectorPolicy detectors) {
    /** Version of the file's format. */
    public static final int VERSION = 1;

    public Descriptor {
        if (data.contextLength() > model.context()) {
            throw new IllegalArgumentException(
                    "data.contextLength %d is over model.context %d".formatted(data.contextLength(), model.context()));
        }
        aggregation.reductionText(layout.size());
    }

    /** A run that records nothing for detectors. */
    public Descriptor(
            ProfileId profile,
            long seed,
            ModelSpec model,
            OptimizerSpec optimizer,
            ScheduleSpec schedule,
            DropoutSpec dropout,
            DataSpec data,
            TokenizerSpec tokenizer,
            InitialSpec initial,
            AggregationSpec aggregation,
            Layout layout,
            TracePolicy trace,
            StorageSpec storage) {
        this(
                profile,
                seed,
                model,
                optimizer,
                schedule,
                dropout,
                data,
                tokenizer,
                initial,
                aggregation,
                layout,
                trace,
                storage,
                DetectorPolicy.NONE);
    }

    /** The same with other data. */
    public Descriptor with(DataSpec other) {
        return new Descriptor(
                profile,
                seed,
                model,
                optimizer,
                schedule,
                dropout,
                other,
                tokenizer,
                initial,
                aggregation,
                layout,
                trace,
                storage,
                detectors);
    }

    /** What the {@code reduction} field of every step record says. */
    public String reductionText() {
        return aggregation.reductionText(layout.size());
    }

    /** Samples that all workers read in one step. */
    public long samplesPerStep() {
        return (long) layout.size() * data.microBatches() * data.sequencesPerMicroBatch();
    }
}
