package org.bitwitness.recorder.train;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * A copy of a run's state with an engine to compute on it. Coordinator and workers have one each; a worker's has no moments where
 * every worker keeps a share of them.
 */
final class Replica implements AutoCloseable {
    private static final Sha256 NO_ROOT = Sha256.of(new byte[Sha256.BYTES]);

    private final Descriptor descriptor;
    private final StepEngine engine;
    private final HostState state;
    private final Executor executor;
    private final List<ExecutorService> owned;
    private Scalars scalars;
    private Layout layout;
    private RecordingMode recording = RecordingMode.STEPS;

    private Replica(Descriptor descriptor, StepEngine engine, HostState state, Scalars scalars, int threads) {
        this.descriptor = descriptor;
        this.engine = engine;
        this.state = state;
        this.scalars = scalars;
        this.layout = descriptor.layout();
        if (threads == 1) {
            this.owned = List.of();
            this.executor = Runnable::run;
        } else {
            ExecutorService pool = Executors.newFixedThreadPool(
                    threads, Thread.ofPlatform().daemon().name("hash-", 0).factory());
            this.owned = List.of(pool);
            this.executor = pool;
        }
    }

    /** The state that the descriptor's seed gives. */
    static Replica initial(Descriptor descriptor, BackendId backend, int threads) {
        HostState.InitialWeights weights = RunSetup.initialWeights(descriptor)
                .orElseThrow(() -> new IllegalArgumentException("this trainer starts from a seed only"));
        StepEngine engine = engine(descriptor, backend, threads);
        return new Replica(
                descriptor,
                engine,
                engine.initialState(weights, descriptor.optimizer()),
                Scalars.initial(descriptor.layout()),
                threads);
    }

    /** A state whose tensors are yet to be filled in, see {@link #tensors()}. */
    static Replica empty(Descriptor descriptor, BackendId backend, int threads, Scalars scalars) {
        StepEngine engine = engine(descriptor, backend, threads);
        HostState state = HostState.zero(engine.manifest(), descriptor.optimizer(), scalars.updateCount());
        return new Replica(descriptor, engine, state, scalars, threads);
    }

    /** Parameters that are yet to be filled in, and none of the moments. */
    static Replica withoutMoments(Descriptor descriptor, BackendId backend, int threads, Scalars scalars) {
        StepEngine engine = engine(descriptor, backend, threads);
        HostState state = HostState.withoutMoments(engine.manifest(), scalars.updateCount());
        return new Replica(descriptor, engine, state, scalars, threads);
    }

    private static StepEngine engine(Descriptor descriptor, BackendId backend, int threads) {
        return StepEngine.create(RunSetup.tensors(descriptor), Backends.create(backend, threads));
    }

    /** The workers of the next step and of those after it. */
    void work(Layout workers) {
        layout = workers;
    }

    /** Leaves out every root that is computed only to be recorded or compared, or computes them. */
    Replica record(RecordingMode mode) {
        recording = mode;
        return this;
    }

    boolean isRecorded() {
        return recording == RecordingMode.STEPS;
    }

    Layout layout() {
        return layout;
    }

    Descriptor descriptor() {
        return descriptor;
    }

    StepEngine engine() {
        return engine;
    }

    HostState state() {
        return state;
    }

    Scalars scalars() {
        return scalars;
    }

    /** Where hashing runs: on the calling thread where there is one thread only. */
    Executor executor() {
        return executor;
    }

    /** Every tensor of the state, in the order of {@link HostState#tensors}: the arrays themselves. */
    List<float[]> tensors() {
        return state.tensors().stream().map(F32Tensor::data).toList();
    }

    /** The root of the state whose tensors have this root. */
    StateRoot stateRoot(Sha256 tensorsRoot) {
        return scalars.stateRoot(descriptor.profile(), DescriptorJson.digest(descriptor), tensorsRoot);
    }

    /** Root of the state, to be recorded and compared; all zeros in a run that is not recorded. */
    StateRoot stateRoot() {
        return isRecorded() ? computedRoot() : new StateRoot(NO_ROOT);
    }

    /** Root of a worker's gradient, under the same condition. */
    GradientRoot root(Gradients gradient) {
        return isRecorded() ? TensorRoots.gradient(gradient, executor) : new GradientRoot(NO_ROOT);
    }

    /** Root of the combined gradient, under the same condition. */
    CombinedRoot combinedRoot(Gradients combined) {
        return isRecorded() ? TensorRoots.combined(combined, executor) : new CombinedRoot(NO_ROOT);
    }

    /** Root of the state, whatever is recorded. */
    StateRoot computedRoot() {
        return TensorRoots.state(state, scalars, descriptor, executor);
    }

    /** True where the state was updated; false where it was not finite before or would be after. */
    boolean update(Gradients combined, UpdateRequest request) {
        return switch (engine.update(state, combined, request)) {
            case UPDATED -> true;
            case INVALID -> false;
        };
    }

    /** Moves the scalars past the step: data and schedule always, the update count after a valid one. */
    void advance(boolean valid, long passLength) {
        scalars = scalars.after(valid, descriptor.samplesPerStep(layout), passLength, layout);
    }

    @Override
    public void close() {
        engine.close();
        owned.forEach(ExecutorService::shutdownNow);
    }
}
