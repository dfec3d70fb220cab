package org.bitwitness.protocol.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;

/**
 * Everything that does not change in a run. Its file, {@code descriptor.json}, is written and read by
 * {@code org.bitwitness.protocol.format.DescriptorJson}; its digest is in every state root.
 *
 * @param seed key of the run's random numbers
 * @param detectors what is recorded of every gradient for detectors
 * @param elastic how the layout may change; empty where it does not
 * @param layout workers of every step, or of the first ones of a run whose layout may change; each step record names its own
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
        DetectorPolicy detectors,
        Optional<ElasticSpec> elastic) {
    /** Version of the file's format. */
    public static final int VERSION = 1;

    public Descriptor {
        if (data.contextLength() > model.context()) {
            throw new IllegalArgumentException(
                    "data.contextLength %d is over model.context %d".formatted(data.contextLength(), model.context()));
        }
        if (model.family() == ModelSpec.Family.MLP) {
            requireMlp(model, data, dropout);
        }
        aggregation.reductionText(layout.size());
        for (ElasticSpec.Change change : elastic.map(ElasticSpec::plan).orElse(List.of())) {
            aggregation.reductionText(change.workers().size());
        }
    }

    private static void requireMlp(ModelSpec model, DataSpec data, DropoutSpec dropout) {
        if (data.contextLength() != model.context() || data.rows().targets() != RowSpec.Targets.LAST) {
            throw new IllegalArgumentException(
                    "an mlp reads rows of model.context %d ids of which the last has a target; data has rows of %d ids with"
                                    .formatted(model.context(), data.contextLength())
                            + " targets \"" + data.rows().targets().text() + '"');
        }
        if (dropout.attn().rate() != 0) {
            throw new IllegalArgumentException("an mlp has no attention: its dropout of attention should be 0, is "
                    + dropout.attn().rate());
        }
    }

    /** A run that records nothing for detectors, and whose layout does not change. */
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
                DetectorPolicy.NONE,
                Optional.empty());
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
                detectors,
                elastic);
    }

    /** What the {@code reduction} field of every step record says. */
    public String reductionText() {
        return reductionText(layout);
    }

    /** The same where the layout changes. */
    public String reductionText(Layout ofStep) {
        return aggregation.reductionText(ofStep.size());
    }

    /** The layout of a step by the plan alone: the change that it has there, else the layout of the step before. */
    public Layout plannedLayout(StepIndex step, Layout before) {
        return elastic.flatMap(spec -> spec.at(step.value())).orElse(before);
    }

    /**
     * Whether a step may have a layout: the planned one, or, where lost workers are dropped, that one without some of its
     * workers, the others in the same order.
     *
     * @param before layout of the step before; the descriptor's for step 0
     */
    public boolean permits(Layout ofStep, StepIndex step, Layout before) {
        Layout planned = plannedLayout(step, before);
        if (ofStep.equals(planned)) {
            return true;
        }
        List<WorkerId> rest = new ArrayList<>(planned.workers());
        rest.retainAll(ofStep.workers());
        return elastic.map(ElasticSpec::dropsLost).orElse(false)
                && rest.equals(ofStep.workers())
                && reduces(ofStep.size());
    }

    private boolean reduces(int workers) {
        try {
            aggregation.reductionText(workers);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Samples that all workers of a layout read in one step. */
    public long samplesPerStep(Layout ofStep) {
        return (long) ofStep.size() * data.microBatches() * data.sequencesPerMicroBatch();
    }
}
