package org.bitwitness.recorder.train;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ElasticSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.RecorderException;

/**
 * Which workers each step has: those that its record says where it is recorded already, else the plan's, else those of the
 * step before, without the ones that were lost. Asked for one step after the other.
 */
final class Layouts {
    private final Descriptor descriptor;
    /** Present while steps are repeated. */
    private final Optional<RecordingReader> recorded;

    private Layout current;
    private long at;

    private Layouts(Descriptor descriptor, Optional<RecordingReader> recorded, long firstStep, Layout before) {
        this.descriptor = descriptor;
        this.recorded = recorded;
        this.at = firstStep - 1;
        this.current = before;
    }

    static Layouts ofNewRun(Descriptor descriptor) {
        return new Layouts(descriptor, Optional.empty(), 0, descriptor.layout());
    }

    /** @param firstStep that is repeated, or computed, after a resume */
    static Layouts resumed(Descriptor descriptor, RecordingReader recorded, long firstStep) throws ProtocolException {
        Layout before = recorded.layoutBefore(new StepIndex(firstStep));
        return new Layouts(descriptor, Optional.of(recorded), firstStep, before);
    }

    /** The layout of a step: the one asked for last, or the next. */
    Layout of(StepIndex step) throws RecorderException {
        if (step.value() != at) {
            if (step.value() != at + 1) {
                throw new IllegalStateException(
                        "layouts are asked for step by step, after %d came %s".formatted(at, step));
            }
            current = next(step);
            at = step.value();
        }
        return current;
    }

    private Layout next(StepIndex step) throws RecorderException {
        try {
            return isRecorded(step)
                    ? recorded.orElseThrow().stepRecord(step).layout()
                    : descriptor.plannedLayout(step, current);
        } catch (ProtocolException e) {
            throw RecorderException.of("reading the layout of step " + step, e);
        }
    }

    private boolean isRecorded(StepIndex step) {
        return recorded.isPresent() && step.value() < recorded.get().stepCount();
    }

    /**
     * Leaves a worker out from a step on that is not done yet.
     *
     * @throws LostWorkerException the same, where the run has to stop for it
     */
    void drop(StepIndex step, LostWorkerException lost) throws RecorderException {
        Layout whole = of(step);
        List<WorkerId> rest = whole.workers().stream()
                .filter(worker -> !worker.equals(lost.worker()))
                .toList();
        if (!whole.workers().contains(lost.worker())
                && descriptor.elastic().map(ElasticSpec::dropsLost).orElse(false)) {
            // It was to leave now anyway.
            return;
        }
        boolean possible = !isRecorded(step) && rest.size() < whole.size() && !rest.isEmpty();
        if (!possible || !descriptor.permits(new Layout(rest), step, whole)) {
            throw lost;
        }
        current = new Layout(rest);
    }
}
