package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.replayer.StepReplay.ReduceReplay;
import org.bitwitness.replayer.StepReplay.Updated;
import org.bitwitness.replayer.StepReplay.WorkerReplay;

/**
 * Goes through a run from a checkpoint on, step by step, and stops at the first difference. Every state that a step
 * starts from was checked against its committed root: the checkpoint when it was read, the others as results.
 */
final class Walk {

    /** How much of a step to replay. */
    enum Part {
        /** The gradient of one worker. */
        GRADIENT,
        /** All gradients and the reduction. */
        REDUCE,
        /** The whole step; the walk stands after it then. */
        WHOLE
    }

    /**
     * @param position which worker, for {@link Part#GRADIENT}
     * @param traced whether traces and detector inputs are compared too
     * @param proof hears every operator
     */
    record Scope(Part part, OptionalInt position, boolean traced, ProofSink proof) {
        static final Scope ON_THE_WAY = new Scope(Part.WHOLE, OptionalInt.empty(), false, ProofSink.NONE);
    }

    private final CommittedRun run;
    private final StepReplay runner;
    private final StepJudge judge;
    private final DetectorJudge detectors;
    private final Progress progress;
    private final Runnable moved;
    private LoadedState at;
    private long steps;
    private long tokens;

    /**
     * @param at where it starts
     * @param moved called whenever the walk stands at a new state that is as committed
     */
    Walk(CommittedRun run, StepReplay runner, LoadedState at, Progress progress, Consumer<Walk> moved) {
        this.run = run;
        this.runner = runner;
        this.judge = new StepJudge(run, runner);
        this.detectors = new DetectorJudge(run, runner);
        this.progress = progress;
        this.moved = () -> moved.accept(this);
        this.at = at;
    }

    /** Counts what an earlier process did of the same walk. */
    Walk after(long stepsBefore, long tokensBefore) {
        steps = stepsBefore;
        tokens = tokensBefore;
        return this;
    }

    /** {@code state} itself where the run keeps updates that lead there, else the checkpoint before it. */
    static LoadedState start(CommittedRun run, StepReplay runner, StateIndex state) throws StoreDamage {
        if (UpdateLog.isKept(run)) {
            Optional<LoadedState> reached = UpdateLog.reach(run, runner, state);
            if (reached.isPresent()) {
                return reached.get();
            }
        }
        return run.checkpointAtOrBefore(state, runner.storage());
    }

    /** The state the walk stands at. */
    LoadedState at() {
        return at;
    }

    long steps() {
        return steps;
    }

    long tokens() {
        return tokens;
    }

    /** Replays whole steps until the walk stands before {@code step}. */
    Optional<Difference> reach(StepIndex step) throws StoreDamage {
        while (at.scalars().stateIndex().value() < step.value()) {
            Optional<Difference> difference =
                    step(new StepIndex(at.scalars().stateIndex().value()), Scope.ON_THE_WAY);
            if (difference.isPresent()) {
                return difference;
            }
        }
        return Optional.empty();
    }

    /** Replays the step the walk stands before. */
    Optional<Difference> step(StepIndex step, Scope scope) throws StoreDamage {
        StepRecord record = run.record(step);
        StateRoot before = at.root();
        if (!record.stateRootBefore().equals(before)) {
            throw new StoreDamage(
                    "step %s should start from state root %s, which the step before it ends in; its record says %s"
                            .formatted(step, before, record.stateRootBefore()));
        }
        return switch (new InputCheck(run).check(record, at.scalars())) {
            case InputCheck.Outcome.Unequal unequal -> Optional.of(unequal.difference());
            case InputCheck.Outcome.Equal equal -> {
                steps++;
                yield compute(new StepInputs(record, at.scalars(), at.state(), equal.batches()), scope);
            }
        };
    }

    private Optional<Difference> compute(StepInputs in, Scope scope) throws StoreDamage {
        List<Integer> positions = scope.part() == Part.GRADIENT
                ? List.of(scope.position().orElseThrow())
                : IntStream.range(0, in.workers()).boxed().toList();
        List<WorkerReplay> workers = new ArrayList<>();
        for (int from = 0; from < positions.size(); from += runner.workersAtATime()) {
            int to = Math.min(positions.size(), from + runner.workersAtATime());
            Optional<Difference> difference = compute(in, positions.subList(from, to), scope, workers);
            if (difference.isPresent()) {
                return difference;
            }
        }
        return scope.part() == Part.GRADIENT ? Optional.empty() : combine(in, workers, scope);
    }

    /** Some workers at the same time; judged in their order, so that what is said is the same. */
    private Optional<Difference> compute(
            StepInputs in, List<Integer> positions, Scope scope, List<WorkerReplay> workers) throws StoreDamage {
        List<ProofSink.Heard> heard = new ArrayList<>();
        List<TraceSink> sinks = new ArrayList<>();
        for (int position : positions) {
            progress.now(
                    in.record().step(),
                    "worker " + in.record().workers().get(position).worker());
            heard.add(scope.proof().at(in.record().step()));
            // On the way nobody listens to operators, which then need not be taken apart.
            TraceSink sink = heard.getLast().sink();
            sinks.add(scope.proof().listens() ? progress.operators(sink) : sink);
        }
        List<WorkerReplay> replayed = runner.workers(in, positions, scope.traced() && run.hasTraceRoots(), sinks);
        for (int i = 0; i < positions.size(); i++) {
            int position = positions.get(i);
            heard.get(i).end().run();
            tokens += in.tokens(position);
            Optional<Difference> difference = judge.worker(in, position, replayed.get(i));
            if (difference.isEmpty() && scope.traced()) {
                difference = detectors.worker(in, position, replayed.get(i));
            }
            if (difference.isPresent()) {
                return difference;
            }
            workers.add(runner.kept(replayed.get(i), position, in.workers()));
        }
        return Optional.empty();
    }

    private Optional<Difference> combine(StepInputs in, List<WorkerReplay> workers, Scope scope) throws StoreDamage {
        progress.now(in.record().step(), "reduction");
        ReduceReplay reduced = runner.reduce(in, workers);
        Optional<Difference> difference = judge.reduce(in, workers, reduced);
        if (difference.isPresent() || scope.part() == Part.REDUCE) {
            return difference;
        }
        Updated updated = runner.updated(in, reduced);
        difference = judge.update(in, reduced, updated);
        at = new LoadedState(updated.after(), updated.next(), updated.root());
        if (difference.isEmpty()) {
            runner.passed(in, workers, reduced, updated);
            moved.run();
        }
        return difference;
    }
}
