package org.bitwitness.recorder.train;

import java.util.List;
import java.util.OptionalLong;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.ReductionFacts;

/** Hears how training goes on. Called from the coordinator's threads; must be quick. */
public interface TrainingListener {
    /** Hears nothing. */
    TrainingListener NONE = new TrainingListener() {};

    /** The workers are connected; process ids in layout order, absent for workers inside this process. */
    default void workersStarted(List<OptionalLong> pids) {}

    /**
     * The workers have their state.
     *
     * @param bytes of the optimizer's moments that each worker says it keeps, in layout order
     * @param whole bytes of all moments of the state
     */
    default void momentsHeld(List<Long> bytes, long whole) {}

    /** The run goes on from a step without a worker that was lost. */
    default void workerDropped(StepIndex step, LostWorkerException lost) {}

    /** How the gradients of the step became one; right before {@link #step}. */
    default void reduced(StepIndex step, ReductionFacts facts) {}

    /** A step is done; {@code again} where a resumed run repeats a step that is recorded already. */
    default void step(StepIndex step, float loss, long tokens, boolean again) {}

    /** A commitment is public. */
    default void committed(Commitment commitment) {}
}
