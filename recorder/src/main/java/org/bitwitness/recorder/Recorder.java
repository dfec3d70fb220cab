package org.bitwitness.recorder;

import java.util.List;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * What a trainer tells a recorder. For every step, in this order: {@link #layout} where it changes, {@link #batch} and
 * {@link #gradient} for each worker of the layout, {@link #reduction}, {@link #combined} where the run keeps updates,
 * {@link #stateAfter}, and {@link #checkpoint} where {@link #wantsCheckpoint} says so.
 * {@link #finish} ends the run; closing without it leaves a recording that ends at its last commitment.
 *
 * <p>Not for several threads at once.
 */
public interface Recorder extends AutoCloseable {
    RunId runId();

    /** The step that the recorder waits for. */
    StepIndex nextStep();

    /**
     * The workers of a step and of those after it, where they change: before any {@link #batch} of the step.
     *
     * @throws IllegalArgumentException if the run's descriptor does not let the step have this layout
     */
    void layout(StepIndex step, Layout layout);

    /** What a worker read. */
    void batch(StepIndex step, WorkerId worker, List<MicroBatchRecord> microBatches) throws RecorderException;

    /** What a worker computed from that. */
    void gradient(StepIndex step, WorkerId worker, WorkerGradient gradient) throws RecorderException;

    /** How the gradients became one. */
    void reduction(StepIndex step, ReductionFacts facts) throws RecorderException;

    /**
     * The combined gradient itself, before clipping: for a run whose update policy is {@code gradients}, after
     * {@link #reduction}, for every valid step.
     *
     * @throws IllegalArgumentException if it does not have the root that {@link #reduction} named
     */
    void combined(StepIndex step, List<F32Tensor> tensors) throws RecorderException;

    /**
     * Ends a step.
     *
     * @throws RecorderException if an earlier recording of the step says otherwise, or the record cannot be kept
     */
    void stateAfter(StepIndex step, StateRoot root) throws RecorderException;

    /** True where the run's storage policy asks for the state that the step just ended in. */
    boolean wantsCheckpoint();

    /**
     * Stores that state.
     *
     * @param parameters under their names
     * @param optimizer moments, named {@code m.} and {@code v.} plus the parameter's name
     * @throws IllegalArgumentException if the tensors do not have the root that {@link #stateAfter} named
     */
    void checkpoint(Scalars scalars, List<F32Tensor> parameters, List<F32Tensor> optimizer) throws RecorderException;

    /**
     * Ends the run: writes the released model and makes the final commitment.
     *
     * @param parameters of the last state
     */
    void finish(List<F32Tensor> parameters, ModelIdentity identity) throws RecorderException;

    /** Stops without a final commitment; what is not committed is not kept. */
    @Override
    void close() throws RecorderException;
}
