package org.bitwitness.recorder.train;

import java.util.List;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.Recorder;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.WorkerGradient;

/** Takes what a trainer tells and keeps none of it, see {@link RecordingMode#NOTHING}. */
final class SilentRecorder implements Recorder {
    private final Recorder opened;
    private long nextStep;

    /** @param opened a new recording, which stays as it is */
    SilentRecorder(Recorder opened) {
        this.opened = opened;
        this.nextStep = opened.nextStep().value();
    }

    @Override
    public RunId runId() {
        return opened.runId();
    }

    @Override
    public StepIndex nextStep() {
        return new StepIndex(nextStep);
    }

    @Override
    public void layout(StepIndex step, Layout layout) {}

    @Override
    public void batch(StepIndex step, WorkerId worker, List<MicroBatchRecord> microBatches) {}

    @Override
    public void gradient(StepIndex step, WorkerId worker, WorkerGradient gradient) {}

    @Override
    public void reduction(StepIndex step, ReductionFacts facts) {}

    @Override
    public void combined(StepIndex step, List<F32Tensor> tensors) {}

    @Override
    public void stateAfter(StepIndex step, StateRoot root) {
        nextStep++;
    }

    @Override
    public boolean wantsCheckpoint() {
        return false;
    }

    @Override
    public void checkpoint(Scalars scalars, List<F32Tensor> parameters, List<F32Tensor> optimizer) {
        throw new IllegalStateException("no checkpoint is wanted");
    }

    @Override
    public void finish(List<F32Tensor> parameters, ModelIdentity identity) {}

    @Override
    public void close() throws RecorderException {
        opened.close();
    }
}
