package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.UpdateResult;
import org.bitwitness.kernels.WorkerLoss;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Scalars;

/** The arithmetic of one step on one engine. Knows what the run is, not what its trainer claims. */
final class StepReplay {

    /**
     * One worker's part of a step.
     *
     * @param trace what every operator put out; absent where nobody asked
     */
    record WorkerReplay(GradientResult result, GradientRoot root, Optional<WorkerTrace> trace) {}

    /** The workers' gradients as one. */
    record ReduceReplay(
            CombineResult combined, ReduceResult result, CombinedRoot root, Optional<Sha256> exponentsRoot) {}

    /**
     * @param after the state after the step
     * @param next its scalars
     * @param valid false where the step is INVALID and no tensor changed
     */
    record Updated(HostState after, Scalars next, StateRoot root, boolean valid) {}

    private final CommittedRun committed;
    private final RunFacts run;
    private final StepEngine engine;
    private final WorkerEngines workerEngines;
    private final Storage storage;

    StepReplay(CommittedRun committed, StepEngine engine, Storage storage) {
        this(committed, engine, WorkerEngines.one(engine), storage);
    }

    /** @param workerEngines compute gradients; {@code engine} does everything else */
    StepReplay(CommittedRun committed, StepEngine engine, WorkerEngines workerEngines, Storage storage) {
        this.committed = committed;
        this.storage = storage;
        this.run = committed.facts();
        this.engine = engine;
        this.workerEngines = workerEngines;
    }

    /** The same run on another engine. */
    StepReplay on(StepEngine other) {
        return new StepReplay(committed, other, storage);
    }

    /** How many workers {@link #workers} takes at most. */
    int workersAtATime() {
        return workerEngines.count();
    }

    /** Some workers of a step at the same time. */
    List<WorkerReplay> workers(StepInputs in, List<Integer> positions, boolean traced, List<TraceSink> proofs) {
        return workerEngines.each(
                positions, (by, position) -> worker(by, in, position, traced, proofs.get(positions.indexOf(position))));
    }

    /** @param proof hears every operator too */
    WorkerReplay worker(StepInputs in, int position, boolean traced, TraceSink proof) {
        return worker(workerEngines.of(position), in, position, traced, proof);
    }

    private WorkerReplay worker(StepEngine by, StepInputs in, int position, boolean traced, TraceSink proof) {
        var request = in.request(position, run.dropoutSeed(), run.averaging() == Averaging.WORKERS);
        if (!traced) {
            GradientResult result = by.gradient(request, proof);
            return new WorkerReplay(result, run.gradientRoot(result.gradients()), Optional.empty());
        }
        TraceHasher hasher = new TraceHasher();
        GradientResult result = by.gradient(request, event -> {
            hasher.operator(event);
            proof.operator(event);
        });
        return new WorkerReplay(result, run.gradientRoot(result.gradients()), Optional.of(hasher.finish()));
    }

    ReduceReplay reduce(StepInputs in, List<WorkerReplay> workers) {
        List<Gradients> gradients = new ArrayList<>();
        List<WorkerLoss> losses = new ArrayList<>();
        for (WorkerReplay worker : workers) {
            gradients.add(worker.result().gradients());
            losses.add(new WorkerLoss(worker.result().lossSum(), worker.result().targetCount()));
        }
        CombineResult combined = engine.combine(gradients, run.combineRule(gradients.size()));
        ReduceResult result =
                engine.reduce(combined, losses, run.averaging(), run.optimizer().maxNorm());
        return new ReduceReplay(combined, result, run.combinedRoot(result.combined()), combined.exponentsRoot());
    }

    /** The same gradient, kept until all workers' are combined; those of rules that look at whole gradients stay here. */
    WorkerReplay kept(WorkerReplay worker, int position, int workers) {
        GradientResult result = worker.result();
        boolean whole = !StepEngine.combinesTensorwise(run.combineRule(workers));
        if (workers == 1 && !whole) {
            return worker;
        }
        Gradients kept =
                whole ? storage.whole(result.gradients(), engine) : storage.keep(result.gradients(), position, engine);
        return new WorkerReplay(
                new GradientResult(kept, result.lossSum(), result.targetCount()), worker.root(), worker.trace());
    }

    /** Nobody reads the state before a step and its gradients any more. */
    void passed(StepInputs in, List<WorkerReplay> workers, ReduceReplay reduced, Updated updated) {
        Set<Gradients> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int position = 0; position < workers.size(); position++) {
            Gradients own = workers.get(position).result().gradients();
            if (storage.recyclesFromWorkers(own) && taken.add(own)) {
                workerEngines.of(position).recycle(own);
            }
        }
        Gradients combined = reduced.result().combined();
        if (storage.recyclesCombined(combined) && taken.add(combined)) {
            engine.recycle(combined);
        }
        if (!in.state().equals(updated.after())) {
            storage.release(in.state());
        }
    }

    /** The state after the step, beside the one before it, with its scalars and root; of an INVALID step the tensors stay. */
    Updated updated(StepInputs in, ReduceReplay reduced) throws StoreDamage {
        ReduceResult result = reduced.result();
        UpdateRequest request = UpdateRequest.of(result, learningRate(in.scalars()), run.optimizer());
        Optional<HostState> changed = !result.valid()
                ? Optional.empty()
                : storage.spills()
                        ? spilled(in.state(), result.combined(), request)
                        : copied(in.state(), result.combined(), request);
        boolean valid = changed.isPresent();
        HostState after = changed.orElse(in.state());
        Scalars next = in.scalars()
                .after(
                        valid,
                        committed.descriptor().samplesPerStep(in.record().layout()),
                        committed.order().passLength(),
                        in.record().layout());
        return new Updated(after, next, run.stateRoot(after, next), valid);
    }

    /**
     * A state, which is given up, updated with a combined gradient; nothing where it is not finite before or would be after.
     */
    Optional<HostState> applied(HostState state, Scalars scalars, Gradients combined, float clip) {
        UpdateRequest request = new UpdateRequest(learningRate(scalars), clip, run.optimizer());
        if (!storage.spills()) {
            return inMemory(state, combined, request);
        }
        Optional<HostState> after = spilled(state, combined, request);
        after.ifPresent(_ -> storage.release(state));
        return after;
    }

    private Optional<HostState> copied(HostState before, Gradients combined, UpdateRequest request) {
        HostState copy = storage.copy(before);
        Optional<HostState> after = inMemory(copy, combined, request);
        if (after.isEmpty()) {
            storage.release(copy);
        }
        return after;
    }

    private Optional<HostState> inMemory(HostState state, Gradients combined, UpdateRequest request) {
        return engine.update(state, combined, request) == UpdateResult.UPDATED ? Optional.of(state) : Optional.empty();
    }

    private Optional<HostState> spilled(HostState before, Gradients combined, UpdateRequest request) {
        HostState after = storage.state(before.manifest(), run.optimizer(), before.updateCount());
        if (engine.update(before, combined, request, after) == UpdateResult.UPDATED) {
            return Optional.of(after);
        }
        storage.release(after);
        return Optional.empty();
    }

    Storage storage() {
        return storage;
    }

    private double learningRate(Scalars scalars) {
        return LearningRate.at(committed.descriptor().schedule(), scalars.schedulePosition());
    }
}
