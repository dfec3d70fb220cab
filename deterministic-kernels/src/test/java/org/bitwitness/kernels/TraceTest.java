package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.kernels.trace.TracePlan;
import org.bitwitness.kernels.trace.TraceRebuilder;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces: equal on all backends, rebuilt from roots alone, ending in the gradient root. */
class TraceTest {
    private record Traced(GradientResult result, WorkerTrace trace) {}

    private static Traced trace(String family, BackendId id, BeforeEmit beforeEmit) {
        StepConfig config = GoldenFiles.config(family, 1);
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(config.model(), config.manifest(), config.profile()), Backends.create(id, 2))) {
            HostState state = engine.initialState(config.initial(), config.optimizer());
            TraceHasher hasher = new TraceHasher();
            GradientRequest request = new GradientRequest(
                    state, config.seed(), 1, 1, config.workers().get(1), GradientRequest.invCount(128));
            GradientResult result = engine.gradient(request, hasher, beforeEmit);
            return new Traced(result, hasher.finish());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void allBackendsWriteTheSameTraceAndItEndsInTheGradientRoot(String family) {
        Traced reference = trace(family, BackendId.REFERENCE, BeforeEmit.NOTHING);
        for (BackendId id : Backends.available()) {
            Traced other = trace(family, id, BeforeEmit.NOTHING);
            assertEquals(reference.trace().traceRoot(), other.trace().traceRoot(), id.text());
            assertEquals(
                    TensorRoots.gradient(other.result().gradients(), Runnable::run),
                    other.trace().gradientRoot());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void theEntriesAreRebuiltFromTheModelAndTheStoredRootsAlone(String family) {
        WorkerTrace trace = trace(family, BackendId.VECTOR, BeforeEmit.NOTHING).trace();
        List<List<Sha256>> stored =
                trace.entries().stream().map(TraceEntry::outputRoots).toList();
        StepConfig config = GoldenFiles.config(family, 1);
        List<BatchShape> shapes =
                config.workers().get(1).stream().map(BatchShape::of).toList();
        assertEquals(
                trace.traceRoot(),
                TraceRebuilder.entries(config.model(), shapes, 1, stored).traceRoot());
        assertNotEquals(
                trace.traceRoot(),
                TraceRebuilder.entries(config.model(), shapes, 0, stored).traceRoot(),
                "the worker's position is part of every entry");
        assertThrows(
                IllegalArgumentException.class,
                () -> TraceRebuilder.entries(config.model(), shapes.subList(0, 1), 1, stored));
    }

    @Test
    void everyInputComesFromAnEarlierEntryTheStateOrTheBatch() {
        StepConfig config = GoldenFiles.config("llama", 1);
        List<PlannedEntry> entries = TracePlan.ofShapes(
                        config.model(), List.of(new BatchShape(2, 16), new BatchShape(2, 16)))
                .entries();
        for (PlannedEntry entry : entries) {
            for (TensorSource source : entry.inputs()) {
                if (source instanceof TensorSource.EntryOutput from) {
                    assertTrue(from.entry() < entry.index(), entry::toString);
                    assertTrue(
                            from.output() < entries.get(from.entry()).outputs().size(), entry::toString);
                }
            }
        }
        assertEquals(TracePlan.EMIT, entries.getLast().op());
        assertEquals(TracePlan.ACCUMULATE, entries.get(entries.size() - 2).op());
        assertEquals(config.manifest().count(), entries.getLast().outputs().size());
    }

    @Test
    void aFaultBetweenAccumulateAndEmitShowsInTheLastEntryOnly() {
        WorkerTrace honest = trace("gpt2", BackendId.VECTOR, BeforeEmit.NOTHING).trace();
        WorkerTrace drill = trace(
                        "gpt2", BackendId.VECTOR, gradients -> gradients.tensor(3)[0] *= 1.5f)
                .trace();
        List<Integer> differing = new ArrayList<>();
        for (int i = 0; i < honest.entries().size(); i++) {
            if (!honest.entries().get(i).equals(drill.entries().get(i))) {
                differing.add(i);
            }
        }
        assertEquals(List.of(honest.entries().size() - 1), differing);
        assertNotEquals(honest.gradientRoot(), drill.gradientRoot());
    }

    @Test
    void withoutASinkTheBitsAreTheSame() {
        StepConfig config = GoldenFiles.config("gpt2", 1);
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(config.model(), config.manifest(), config.profile()),
                Backends.create(BackendId.VECTOR, 1))) {
            GradientRequest request = new GradientRequest(
                    engine.initialState(config.initial(), config.optimizer()),
                    config.seed(),
                    1,
                    1,
                    config.workers().get(1),
                    GradientRequest.invCount(128));
            assertEquals(
                    TensorRoots.gradient(
                            engine.gradient(request, TraceSink.NONE).gradients(), Runnable::run),
                    trace("gpt2", BackendId.REFERENCE, BeforeEmit.NOTHING)
                            .trace()
                            .gradientRoot());
        }
    }

    @Test
    void aHasherTracesOneWorkerOnly() {
        TraceHasher hasher = new TraceHasher();
        assertThrows(IllegalArgumentException.class, hasher::finish, "nothing was emitted yet");
    }
}
