package org.bitwitness.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.tools.ToolProvider;
import org.bitwitness.datasets.ByteTokenizer;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.RecordingWriter;
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
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.record.TokenizerSpec;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plug-in as another trainer uses it: nothing here knows our trainer. */
class RecorderSessionTest {
    private static final WorkerId WORKER = new WorkerId(0);

    @TempDir
    Path folder;

    private final Descriptor descriptor = descriptor();
    private final List<Commitment> committed = new ArrayList<>();
    private float[] weights = {1f, 2f};
    private Scalars scalars = Scalars.initial(descriptor.layout());
    private Recorder recorder;
    private boolean logIsGone;

    @BeforeEach
    void open() throws Exception {
        FolderStore store = FolderStore.create(folder.resolve("run"));
        RecordingWriter writer = RecordingWriter.create(store, descriptor);
        writer.writeState(new StateIndex(0), parameters(), moments(), scalars);
        Commitment open = writer.open(OpenExt.of(
                DescriptorJson.digest(descriptor),
                descriptor.data().datasetRoot(),
                root(),
                new byte[] {1},
                new AuditPolicy("INIT,STEP,FINAL", 1, 1, BeaconMode.VRF_ONLY, Duration.ofSeconds(60))));
        CommitmentSink sink = _ -> {
            if (logIsGone) {
                throw new RecorderException("the log is gone");
            }
            return new CommitmentReceipt(OptionalLong.empty(), "{}");
        };
        recorder =
                RecorderSession.open(new RecorderSession.Parts(store, descriptor, writer, sink, committed::add), open);
    }

    @Test
    void aTrainerThatCallsInOrderGetsARecordingThatVerifies() throws Exception {
        for (int t = 0; t < 3; t++) {
            step(t);
            assertEquals(t == 1 || t == 2, recorder.wantsCheckpoint(), "after step " + t);
            if (recorder.wantsCheckpoint()) {
                recorder.checkpoint(scalars, parameters(), moments());
            }
        }
        recorder.finish(parameters(), _ -> new ReleasedRoot(Hashing.sha256("released")));
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        assertEquals(3, reader.stepCount());
        assertTrue(reader.last().isFinal());
        assertEquals(
                List.of(0L, 1L, 2L),
                committed.stream().map(Commitment::sequence).toList());
    }

    @Test
    void theExampleTrainerOfTheDocumentationRecordsItself() throws Exception {
        Path source = Path.of(System.getProperty("bitwitness.home"), "docs/examples/ExampleTrainer.java");
        Path classes = Files.createDirectories(folder.resolve("classes"));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        source.toString());
        assertEquals(0, compiled);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, RecorderSessionTest.class.getClassLoader())) {
            loader.loadClass("ExampleTrainer")
                    .getMethod("train", Recorder.class, Descriptor.class, float[].class, ModelIdentity.class)
                    .invoke(null, recorder, descriptor, weights, (ModelIdentity)
                            _ -> new ReleasedRoot(Hashing.sha256("r")));
        }
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        assertEquals(3, reader.stepCount());
        assertTrue(reader.last().isFinal());
    }

    @Test
    void stepsOutOfOrderMissingPartsAndStrangersAreRefused() throws Exception {
        StepIndex first = new StepIndex(0);
        assertThrows(IllegalStateException.class, () -> recorder.batch(new StepIndex(1), WORKER, batch()));
        assertThrows(IllegalArgumentException.class, () -> recorder.batch(first, new WorkerId(9), batch()));
        recorder.batch(first, WORKER, batch());
        assertThrows(IllegalArgumentException.class, () -> recorder.batch(first, WORKER, batch()));
        assertThrows(IllegalStateException.class, () -> recorder.stateAfter(first, root()));
        recorder.reduction(first, facts());
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> recorder.stateAfter(first, root()));
        assertTrue(String.valueOf(e.getMessage()).contains("worker 0 has no gradient"), e.getMessage());
        assertThrows(
                IllegalStateException.class,
                () -> recorder.finish(parameters(), _ -> new ReleasedRoot(Hashing.sha256("r"))));
    }

    @Test
    void aCheckpointThatIsNotTheStateIsRefused() throws Exception {
        step(0);
        assertFalse(recorder.wantsCheckpoint());
        assertThrows(IllegalStateException.class, () -> recorder.checkpoint(scalars, parameters(), moments()));
        step(1);
        assertTrue(recorder.wantsCheckpoint());
        assertThrows(IllegalStateException.class, () -> recorder.batch(new StepIndex(2), WORKER, batch()));
        weights[1] = Math.nextUp(weights[1]);
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> recorder.checkpoint(scalars, parameters(), moments()));
        assertTrue(String.valueOf(e.getMessage()).contains("the checkpoint should be state 2"), e.getMessage());
        weights[1] = Math.nextDown(weights[1]);
        recorder.checkpoint(scalars, parameters(), moments());
        assertEquals(1, committed.getLast().sequence());
    }

    /** It may be public already: a later one with more steps in its place would be a second story. */
    @Test
    void noCommitmentFollowsOneThatFailed() throws Exception {
        step(0);
        step(1);
        logIsGone = true;
        assertThrows(RecorderException.class, () -> recorder.checkpoint(scalars, parameters(), moments()));
        logIsGone = false;
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> step(2));
        assertEquals("the commitment before step 2 failed: resume the run to make the same one again", e.getMessage());
        assertThrows(
                IllegalStateException.class,
                () -> recorder.finish(parameters(), _ -> new ReleasedRoot(Hashing.sha256("released"))));
        assertEquals(0, committed.getLast().sequence());
    }

    private void step(long t) throws RecorderException {
        StepIndex step = new StepIndex(t);
        recorder.batch(step, WORKER, batch());
        recorder.gradient(
                step,
                WORKER,
                new WorkerGradient(new GradientRoot(Hashing.sha256("g" + t)), 2.5, 4, Optional.empty(), List.of()));
        recorder.reduction(step, facts());
        weights = new float[] {weights[0] + 0.5f, weights[1] - 0.25f};
        scalars = scalars.after(true, 1, 100);
        recorder.stateAfter(step, root());
    }

    private static ReductionFacts facts() {
        return new ReductionFacts(
                true, 4, 1e-3, new CombinedRoot(Hashing.sha256("c")), Optional.empty(), 0.5, 1f, 0.625f);
    }

    private static List<MicroBatchRecord> batch() {
        return List.of(MicroBatchRecord.of(List.of(7L), new int[][] {{1, 2, 3, 4}}, new int[][] {{2, 3, 4, 5}}));
    }

    private List<F32Tensor> parameters() {
        return List.of(F32Tensor.of("w", Shape.of(2), weights));
    }

    private static List<F32Tensor> moments() {
        return List.of(F32Tensor.of("m.w", Shape.of(2), new float[2]), F32Tensor.of("v.w", Shape.of(2), new float[2]));
    }

    private StateRoot root() {
        List<F32Tensor> all = new ArrayList<>(parameters());
        all.addAll(moments());
        return scalars.stateRoot(
                descriptor.profile(), DescriptorJson.digest(descriptor), TensorDigests.tensorsRoot(all, Runnable::run));
    }

    private static Descriptor descriptor() {
        return new Descriptor(
                ProfileId.F32_C512,
                1,
                new ModelSpec(ModelSpec.Family.GPT2, 257, 4, 2, 1, 1, 1, 2, 2, 1e-5, 0, true, Optional.empty()),
                new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1),
                new ScheduleSpec(ScheduleSpec.Kind.CONSTANT, 1e-3, 1e-3, 0, 3, 0),
                DropoutSpec.uniform(0),
                new DataSpec(new DatasetRoot(Hashing.sha256("data")), 4, 1, 1, 1),
                new TokenizerSpec(ByteTokenizer.KIND, ByteTokenizer.DIGEST),
                new InitialSpec.Seed(1, 0.02, 0.02),
                new AggregationSpec(Averaging.TOKENS, Reduction.ORDERED, "ascending"),
                Layout.ofCount(1),
                TracePolicy.NONE,
                new StorageSpec(2, 2, 2));
    }
}
