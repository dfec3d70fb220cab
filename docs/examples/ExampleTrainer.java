import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.Recorder;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.WorkerGradient;

/** A trainer of its own that records itself: one worker, one tensor of two weights. Compiled and run by a test. */
public final class ExampleTrainer {
    public static void train(Recorder recorder, Descriptor descriptor, float[] w, ModelIdentity identity) throws Exception {
        WorkerId worker = descriptor.layout().workers().getFirst();
        Scalars scalars = Scalars.initial(descriptor.layout());
        List<F32Tensor> moments = List.of(tensor("m.w", new float[2]), tensor("v.w", new float[2]));
        for (long t = 0; t < descriptor.schedule().steps(); t++) {
            StepIndex step = new StepIndex(t);
            int[][] ids = {{1, 2, 3, 4}}, targets = {{2, 3, 4, 5}};
            recorder.batch(step, worker, List.of(MicroBatchRecord.of(List.of(t), ids, targets)));
            float[] gradient = {0.5f * w[0], 0.25f};
            var root = TensorDigests.tensorsRoot(List.of(tensor("w", gradient)), Runnable::run);
            recorder.gradient(step, worker, new WorkerGradient(new GradientRoot(root), 2.5, 4, Optional.empty(), List.of()));
            recorder.reduction(
                    step, new ReductionFacts(true, 4, 1e-3, new CombinedRoot(root), Optional.empty(), 0.5, 1f, 0.625f));
            for (int i = 0; i < w.length; i++) {
                w[i] -= 0.001f * gradient[i];
            }
            scalars = scalars.after(true, 1, 100);
            List<F32Tensor> state = List.of(tensor("w", w.clone()), moments.get(0), moments.get(1));
            StateRoot after = scalars.stateRoot(
                    descriptor.profile(), DescriptorJson.digest(descriptor), TensorDigests.tensorsRoot(state, Runnable::run));
            recorder.stateAfter(step, after);
            if (recorder.wantsCheckpoint()) {
                recorder.checkpoint(scalars, state.subList(0, 1), moments);
            }
        }
        recorder.finish(List.of(tensor("w", w)), identity);
    }

    private static F32Tensor tensor(String name, float[] values) {
        return F32Tensor.of(name, Shape.of(values.length), values);
    }
}
