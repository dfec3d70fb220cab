package org.bitwitness.kernels;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TracePlan;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.OptimizerSpec;

/**
 * The three phases of a training step on one backend: gradient of a worker, reduction over workers, update. Trainer and
 * replayer share it; nothing here knows files or networks. One engine per thread of control; its buffers are reused.
 *
 * <p>The order: {@link #gradient} for every worker, {@link #combine}, {@link #reduce}, {@link #update}.
 */
public final class StepEngine implements AutoCloseable {
    private final Backend backend;
    private final ModelTensors tensors;
    private final Reducer reducer;
    private final Updater updater;
    private final Map<BatchShape, Prepared> programs = new HashMap<>();
    private final GradientPool pool;
    private Economy economy = Economy.NONE;
    // Gradients of the micro-batches after a worker's first.
    private Optional<Gradients> scratch = Optional.empty();
    // Rounded copies of the parameters, where the profile has them.
    private Optional<Gradients> narrow = Optional.empty();
    private final Deque<Gradients> spares = new ArrayDeque<>();
    private Supplier<Gradients> rooms = () -> Gradients.zero(manifest());

    private StepEngine(ModelTensors tensors, Backend backend) {
        this.backend = backend;
        this.tensors = tensors;
        this.reducer = new Reducer(tensors.manifest(), backend);
        this.updater = new Updater(tensors.manifest(), backend);
        this.pool = new GradientPool(backend, tensors.gradients());
        tensors.bindConstants(backend);
    }

    /** A program with storage for its activations. */
    record Prepared(StepProgram program, GradientPool.Lifetimes lifetimes) {
        /** Gradients that no operator after this one writes. */
        List<Integer> ending(int operator) {
            return lifetimes.ending().get(operator);
        }
    }

    /**
     * An engine for profile {@code F32-C512} with a backend of its own.
     *
     * @throws BackendAbsentException if the backend cannot run here
     */
    public static StepEngine create(ModelConfig model, BackendId backend, int threads) {
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), NumericProfile.F32_C512);
        return create(tensors, Backends.create(backend, threads));
    }

    /** An engine over given tensors and a backend, which it closes. */
    public static StepEngine create(ModelTensors tensors, Backend backend) {
        return new StepEngine(tensors, backend);
    }

    /**
     * Holds less in memory from now on; to be said before the first gradient.
     *
     * @throws IllegalStateException if activations have their storage already
     */
    public void economize(Economy wanted) {
        if (!programs.isEmpty()) {
            throw new IllegalStateException("the engine has computed already: economize before the first gradient");
        }
        economy = wanted;
    }

    /** Where gradients are from now on, in place of new arrays: for {@link Economy#paged}, room outside memory. */
    public void gradientsIn(Supplier<Gradients> madeElsewhere) {
        rooms = madeElsewhere;
    }

    public ModelConfig model() {
        return tensors.model();
    }

    public ParameterManifest manifest() {
        return tensors.manifest();
    }

    /** State 0 of a run that starts from a seed. */
    public HostState initialState(HostState.InitialWeights initial, OptimizerSpec optimizer) {
        return HostState.initial(tensors.manifest(), initial, optimizer, backend);
    }

    /** One worker's gradient: its micro-batches ascending, accumulated in float32 starting with a copy of the first. */
    public GradientResult gradient(GradientRequest request, TraceSink trace) {
        return gradient(request, trace, BeforeEmit.NOTHING);
    }

    /**
     * As {@link #gradient(GradientRequest, TraceSink)}, with a look at the gradients before they are emitted.
     *
     * @throws IllegalArgumentException if a token id is outside the vocabulary or a sequence longer than the context
     */
    public GradientResult gradient(GradientRequest request, TraceSink trace, BeforeEmit beforeEmit) {
        return gradient(request, trace, beforeEmit, GradientListener.NONE);
    }

    /** As {@link #gradient(GradientRequest, TraceSink, BeforeEmit)}, telling {@code listener} of every parameter on the way. */
    public GradientResult gradient(
            GradientRequest request, TraceSink trace, BeforeEmit beforeEmit, GradientListener listener) {
        request.microBatches().forEach(batch -> batch.requireVocabulary(model().vocab()));
        List<Prepared> microBatches =
                request.microBatches().stream().map(this::program).toList();
        Tracer tracer = new Tracer(
                backend,
                request.workerPosition(),
                trace,
                plan(trace, microBatches.stream().map(Prepared::program).toList()));
        if (economy.paged()) {
            PagedGradient paged = new PagedGradient(backend, tensors, economy, pool);
            GradientResult result = paged.compute(request, microBatches, tracer, room());
            return new Handover(listener, beforeEmit).emitted(result, tracer);
        }
        bindParameters(request.state());
        Gradients sum = room();
        List<Tensor> sumTensors = declare(sum);
        Handover handover = new Handover(listener, beforeEmit);
        double lossSum = 0.0;
        long targetCount = 0;
        for (int b = 0; b < microBatches.size(); b++) {
            Prepared prepared = microBatches.get(b);
            StepProgram program = prepared.program();
            OperatorContext context = request.context(b);
            boolean last = b == microBatches.size() - 1;
            if (b == 1) {
                bind(sumTensors, sum);
            }
            if (b == 0) {
                bindGradients(sum);
                run(program, context, tracer, i -> handOver(handover, last, prepared.ending(i), tensors.gradients()));
                fetchInto(tensors.gradients(), sum);
            } else if (economy.inPlace()) {
                runAdding(
                        prepared,
                        context,
                        sumTensors,
                        tracer,
                        i -> handOver(handover, last, prepared.ending(i), sumTensors));
                tracer.record(sumTensors);
            } else if (last && handover.early()) {
                bindGradients(scratch());
                run(program, context, tracer, i -> {
                    add(sumTensors, prepared.ending(i));
                    handover.ended(prepared.ending(i), sumTensors, backend);
                });
                tracer.record(sumTensors);
            } else {
                bindGradients(scratch());
                run(program, context, tracer, _ -> {});
                backend.add(sumTensors, tensors.gradients());
                tracer.record(sumTensors);
            }
            lossSum = backend.sum(program.losses(), lossSum);
            targetCount += request.microBatches().get(b).targetCount();
        }
        if (microBatches.size() > 1) {
            fetchInto(sumTensors, sum);
            backend.release(sumTensors);
        }
        return handover.emitted(new GradientResult(sum, lossSum, targetCount), tracer);
    }

    /**
     * Takes back a gradient that nobody reads any more: a later {@link #gradient} overwrites it instead of allocating one.
     * For loops over many steps; nobody has to.
     */
    public void recycle(Gradients unused) {
        if (!unused.manifest().equals(manifest())) {
            throw new IllegalArgumentException("the gradient belongs to another model");
        }
        spares.push(unused);
    }

    /** All workers' gradients as one: of a single worker the gradient itself. The inputs are not changed. */
    public CombineResult combine(List<Gradients> byLayoutPosition, CombineRule rule) {
        return reducer.combine(byLayoutPosition, rule, this::room);
    }

    /** Whether this rule combines gradients that are not in memory. */
    public static boolean combinesTensorwise(CombineRule rule) {
        return TensorwiseCombiner.combines(rule);
    }

    /**
     * Averaging, global norm, clipping factor and loss.
     *
     * @param combined its gradient is scaled in place when averaging WORKERS
     * @param losses in layout order, as many as gradients were combined
     * @param maxNorm largest norm before clipping, binary64; positive infinity for none
     */
    public ReduceResult reduce(CombineResult combined, List<WorkerLoss> losses, Averaging averaging, double maxNorm) {
        return reducer.reduce(combined, losses, averaging, maxNorm);
    }

    /**
     * Of one segment ({@link SegmentSum}) what {@link #combine} and the averaging of {@link #reduce} make of it.
     *
     * @param rule one that {@link #combinesTensorwise}
     * @param into where the sum goes; none of the inputs
     */
    public SegmentSum combineSegment(
            List<float[]> byLayoutPosition, CombineRule rule, Averaging averaging, float[] into) {
        return new SegmentReducer(backend).combine(byLayoutPosition, rule, averaging, into);
    }

    /** What {@link #reduce} gives, of segments that were combined and averaged one by one. */
    public static ReduceResult reduceSegments(
            Gradients combined,
            double sumOfSquares,
            List<WorkerLoss> losses,
            OptimizerSpec optimizer,
            Averaging averaging) {
        return Reducer.reduced(combined, sumOfSquares, losses, averaging, optimizer.maxNorm());
    }

    /** The optimizer on every parameter in place; INVALID leaves the state untouched. */
    public UpdateResult update(HostState state, Gradients combined, UpdateRequest request) {
        return updater.update(state, combined, request);
    }

    /**
     * The optimizer from {@code before}, which stays, into {@code after}, one tensor after the other: for states that are not
     * in memory. INVALID leaves {@code after} worth nothing.
     *
     * @param after has the update count of {@code before}
     */
    public UpdateResult update(HostState before, Gradients combined, UpdateRequest request, HostState after) {
        return updater.update(before, combined, request, after);
    }

    /**
     * Of one segment what {@link #update} makes of it, in place; false, and all as before, where that is INVALID. An update is
     * valid when it is for every segment.
     *
     * @param t the update count after this step, from 1
     */
    public boolean updateSegment(StateSegment segment, float[] combined, UpdateRequest request, long t) {
        return new SegmentUpdater(backend).update(segment, combined, request, t);
    }

    /** Makes {@code room} state 0 of a run that starts from a seed. */
    public void drawInitial(HostState.InitialWeights initial, HostState room) {
        room.draw(initial, backend);
    }

    /** True if every parameter and moment is finite. */
    public boolean allFinite(HostState state) {
        return updater.allFinite(state);
    }

    @Override
    public void close() {
        programs.clear();
        spares.clear();
        scratch = Optional.empty();
        narrow = Optional.empty();
        backend.close();
    }

    private Prepared program(MicroBatch batch) {
        return programs.computeIfAbsent(BatchShape.of(batch), shape -> {
            StepProgram program = StepProgram.of(tensors, shape);
            program.allocate(backend, economy);
            return new Prepared(program, GradientPool.Lifetimes.of(program, tensors.gradients()));
        });
    }

    private void run(StepProgram program, OperatorContext context, Tracer tracer, IntConsumer after) {
        for (int i = 0; i < program.operators().size(); i++) {
            run(program, i, context, tracer);
            after.accept(i);
        }
    }

    /** The same for a later micro-batch, whose gradients go into {@code sums}. */
    private void runAdding(
            Prepared prepared, OperatorContext context, List<Tensor> sums, Tracer tracer, IntConsumer after) {
        for (int i = 0; i < prepared.program().operators().size(); i++) {
            pool.begin(prepared.lifetimes(), i);
            run(prepared.program(), i, context, tracer);
            pool.end(prepared.lifetimes(), i, sums);
            after.accept(i);
        }
    }

    private void handOver(Handover handover, boolean last, List<Integer> ending, List<Tensor> sums) {
        if (last) {
            handover.ended(ending, sums, backend);
        }
    }

    private void add(List<Tensor> sums, List<Integer> parameters) {
        for (int p : parameters) {
            backend.add(List.of(sums.get(p)), List.of(tensors.gradients().get(p)));
        }
    }

    private void run(StepProgram program, int position, OperatorContext context, Tracer tracer) {
        for (int again : program.runAgainBefore(position, economy)) {
            execute(program, again, context);
        }
        execute(program, position, context);
        tracer.record(program.operators().get(position).outputs());
    }

    private void execute(StepProgram program, int position, OperatorContext context) {
        program.operators().get(position).run(backend, context);
        if (tensors.profile().storesBf16()) {
            backend.roundToBf16(program.rowOutputs().get(position));
        }
    }

    /** Without a sink there is no plan and nothing is done. */
    private List<PlannedEntry> plan(TraceSink trace, List<StepProgram> microBatches) {
        return trace.equals(TraceSink.NONE)
                ? List.of()
                : TracePlan.of(tensors, microBatches).entries();
    }

    /** Gradients to overwrite. */
    private Gradients room() {
        return spares.isEmpty() ? rooms.get() : spares.pop();
    }

    private Gradients scratch() {
        Gradients made = scratch.orElseGet(() -> Gradients.zero(manifest()));
        scratch = Optional.of(made);
        return made;
    }

    private void bindParameters(HostState state) {
        for (int i = 0; i < manifest().count(); i++) {
            backend.bind(
                    tensors.parameters().get(i),
                    tensors.profile().storesBf16() ? narrow(state, i) : state.parameter(i));
        }
        if (tensors.profile().storesBf16()) {
            backend.roundToBf16(tensors.parameters());
        }
    }

    /** A copy of the master, to be rounded: the step reads it, the update does not. */
    private float[] narrow(HostState state, int parameter) {
        Gradients copies = narrow.orElseGet(() -> Gradients.zero(manifest()));
        narrow = Optional.of(copies);
        float[] copy = copies.tensor(parameter);
        System.arraycopy(state.parameter(parameter), 0, copy, 0, copy.length);
        return copy;
    }

    private void bindGradients(Gradients gradients) {
        bind(tensors.gradients(), gradients);
    }

    private List<Tensor> declare(Gradients gradients) {
        List<Tensor> out = new ArrayList<>();
        gradients.manifest().parameters().forEach(p -> out.add(Tensor.declare(p.name(), p.shape())));
        return out;
    }

    private void bind(List<Tensor> to, Gradients gradients) {
        for (int i = 0; i < to.size(); i++) {
            backend.bind(to.get(i), gradients.tensor(i));
        }
    }

    private void fetchInto(List<Tensor> from, Gradients gradients) {
        HostCopies.fetch(backend, from, gradients);
    }
}
