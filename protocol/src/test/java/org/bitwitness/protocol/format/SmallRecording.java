package org.bitwitness.protocol.format;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.record.TokenizerSpec;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * A recording of two workers and four steps whose numbers mean nothing but whose structure is complete: what the format
 * tests write, read and damage, and the worked example of docs/formats.md.
 */
public final class SmallRecording {
    public static final int STEPS = 4;
    public static final byte[] BUNDLE =
            "{\"example\":\"no signature\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private SmallRecording() {}

    public static Descriptor descriptor() {
        return new Descriptor(
                ProfileId.F32_C512,
                1234,
                new ModelSpec(ModelSpec.Family.GPT2, 257, 16, 8, 1, 2, 2, 4, 16, 1e-5, 0.0, true, Optional.empty()),
                new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0),
                new ScheduleSpec(ScheduleSpec.Kind.COSINE, 1e-3, 1e-4, 1, STEPS, 0),
                DropoutSpec.uniform(0.1),
                new DataSpec(new DatasetRoot(Hashing.sha256("dataset")), 4, 1, 2, 77),
                new TokenizerSpec("bytes", Hashing.sha256("tokenizer")),
                new InitialSpec.Seed(99, 0.02, 0.01),
                new AggregationSpec(Averaging.TOKENS, Reduction.ORDERED, "ascending"),
                Layout.ofCount(2),
                TracePolicy.OPERATORS,
                new StorageSpec(2, 2, 2));
    }

    public static AuditPolicy policy() {
        return new AuditPolicy("INIT,STEP,FINAL", 4, 1, BeaconMode.WITNESS_VRF, Duration.ofDays(1));
    }

    public static List<F32Tensor> parameters(long state) {
        return List.of(
                F32Tensor.of("a.weight", Shape.of(2, 3), new float[] {state, 1, 2, 3, 4, 5}),
                F32Tensor.of("b.bias", Shape.of(2), new float[] {-0.0f, 0.5f}));
    }

    public static List<F32Tensor> optimizer(long state) {
        return List.of(
                F32Tensor.of("m.a.weight", Shape.of(2, 3), new float[] {0, state, 0, 0, 0, 0}),
                F32Tensor.of("v.a.weight", Shape.of(2, 3), new float[] {0, 0, state, 0, 0, 0}));
    }

    public static StateRoot stateRoot(Descriptor descriptor, Scalars scalars) {
        long state = scalars.stateIndex().value();
        List<F32Tensor> all = new ArrayList<>(parameters(state));
        all.addAll(optimizer(state));
        return scalars.stateRoot(
                descriptor.profile(), DescriptorJson.digest(descriptor), TensorDigests.tensorsRoot(all, Runnable::run));
    }

    public static Scalars scalars(Descriptor descriptor, long state) {
        Scalars scalars = Scalars.initial(descriptor.layout());
        for (long t = 0; t < state; t++) {
            scalars = scalars.after(true, descriptor.samplesPerStep(descriptor.layout()), 1000);
        }
        return scalars;
    }

    public static StepRecord step(Descriptor descriptor, RunId runId, long t) {
        List<WorkerRecord> workers = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            int[][] ids = {{1, 2, 3, w}, {4, 5, 6, (int) t}};
            int[][] targets = {{2, 3, w, -1}, {5, 6, (int) t, -1}};
            workers.add(new WorkerRecord(
                    new WorkerId(w),
                    List.of(MicroBatchRecord.of(List.of(4 * t + 2L * w, 4 * t + 2L * w + 1), ids, targets)),
                    new GradientRoot(Hashing.sha256("gradient " + t + " " + w)),
                    6 * 5.5,
                    6,
                    Optional.of(new TraceRoot(Hashing.sha256("trace " + t + " " + w)))));
        }
        return new StepRecord(
                runId,
                new StepIndex(t),
                true,
                stateRoot(descriptor, scalars(descriptor, t)),
                stateRoot(descriptor, scalars(descriptor, t + 1)),
                descriptor.layout(),
                descriptor.reductionText(),
                Averaging.TOKENS,
                12,
                1e-3,
                workers,
                new CombinedRoot(Hashing.sha256("combined " + t)),
                Optional.empty(),
                2.0,
                0.5f,
                5.5f,
                StepRecord.NO_DETECTORS);
    }

    public static StepTrace trace(long t) {
        Map<WorkerId, List<List<Sha256>>> outputs = new HashMap<>();
        for (int w = 0; w < 2; w++) {
            outputs.put(
                    new WorkerId(w),
                    List.of(
                            List.of(Hashing.sha256("a" + t + w), Hashing.sha256("b" + t + w)),
                            List.of(),
                            List.of(Hashing.sha256("c" + t + w))));
        }
        return new StepTrace(new StepIndex(t), outputs);
    }

    /** Writes OPEN and the state before step 0. */
    public static RecordingWriter start(RecordingStore store) throws ProtocolException {
        Descriptor descriptor = descriptor();
        RecordingWriter writer = RecordingWriter.create(store, descriptor);
        writer.addFile(new RecordingPath("dataset/manifest.json"), FileContent.of(new byte[] {'{', '}'}));
        writeState(writer, descriptor, 0);
        Commitment open = writer.open(OpenExt.of(
                DescriptorJson.digest(descriptor),
                descriptor.data().datasetRoot(),
                stateRoot(descriptor, scalars(descriptor, 0)),
                new byte[] {0x30, 0x00},
                policy()));
        writer.writeCommitment(open, BUNDLE);
        return writer;
    }

    /** Writes the steps that are left, with a commitment and a state after every second one. */
    public static void finish(RecordingWriter writer) throws ProtocolException {
        Descriptor descriptor = descriptor();
        for (long t = writer.stepCount(); t < STEPS; t++) {
            writer.appendStep(step(descriptor, writer.runId(), t), Optional.of(trace(t)));
            long state = t + 1;
            if (state % 2 == 0) {
                writeState(writer, descriptor, state);
                Optional<ReleasedRoot> released = Optional.empty();
                if (state == STEPS) {
                    writer.addFile(
                            RecordingPaths.released("model.safetensors"),
                            out -> Safetensors.write(parameters(state), out));
                    released = Optional.of(new ReleasedRoot(Hashing.sha256("released")));
                }
                writer.writeCommitment(
                        writer.commit(stateRoot(descriptor, scalars(descriptor, state)), released), BUNDLE);
            }
        }
    }

    public static void write(RecordingStore store) throws ProtocolException {
        finish(start(store));
    }

    private static void writeState(RecordingWriter writer, Descriptor descriptor, long state) throws ProtocolException {
        writer.writeState(new StateIndex(state), parameters(state), optimizer(state), scalars(descriptor, state));
    }
}
