package org.bitwitness.replayer;

import java.util.Optional;
import java.util.OptionalInt;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.replayer.Walk.Part;
import org.bitwitness.replayer.Walk.Scope;

/** Replays one unit once, on one engine; counts what it computed and samples the replay proof on the way. */
final class UnitWork {
    private final CommittedRun run;
    private final StepEngine engine;
    private final WorkerEngines workerEngines;
    private final ProgressListener listener;
    private final ProofBuilder proof;
    private final ReportDraft draft;
    private final Kept kept;
    private final Storage storage;
    private ReplayProof.Kind proofKind = ReplayProof.Kind.WORK;
    private long steps;
    private long tokens;

    UnitWork(CommittedRun run, StepEngine engine, WorkerEngines workerEngines, ProofBuilder proof, Means means) {
        this.run = run;
        this.engine = engine;
        this.workerEngines = workerEngines;
        this.proof = proof;
        this.listener = means.progress();
        this.draft = means.draft();
        this.kept = means.kept();
        this.storage = means.storage();
    }

    /**
     * What a unit's work goes on beside.
     *
     * @param progress hears how far it is
     * @param draft knows when it began
     * @param kept of an earlier process
     * @param storage of states and gradients
     */
    record Means(ProgressListener progress, ReportDraft draft, Kept kept, Storage storage) {}

    /**
     * @throws ReplayException if the run has no such unit
     * @throws StoreDamage if what the unit reads is not what was committed
     */
    UnitOutcome replay(AuditUnit unit) throws ReplayException, StoreDamage {
        return switch (unit) {
            case AuditUnit.Init _ -> possessing(new InitUnit(run, engine, proof, storage).replay());
            case AuditUnit.Data data -> possessing(new DataUnit(run, proof).replay(data.shard()));
            case AuditUnit.Final _ -> finished();
            case AuditUnit.Gradient gradient -> gradient(gradient.step(), gradient.worker());
            case AuditUnit.Reduce reduce -> reduce(reduce.step());
            case AuditUnit.Update update -> update(update.step());
            case AuditUnit.Step step -> whole(step.step().value(), step.step().value() + 1);
            case AuditUnit.Segment segment ->
                whole(segment.steps().firstStep(), segment.steps().endStep());
        };
    }

    ReplayProof proof() {
        return new ReplayProof(proofKind, proof.root(), proof.leaves());
    }

    long steps() {
        return steps;
    }

    long tokens() {
        return tokens;
    }

    private UnitOutcome possessing(UnitOutcome outcome) {
        proofKind = ReplayProof.Kind.POSSESSION;
        return outcome;
    }

    private UnitOutcome gradient(StepIndex step, WorkerId worker) throws ReplayException, StoreDamage {
        StepRecord record = requireStep(step);
        int position = record.layout().workers().indexOf(worker);
        if (position < 0) {
            throw new ReplayException("step %s has workers %s, not %s"
                    .formatted(step, record.layout().workers(), worker));
        }
        Scope scope = new Scope(Part.GRADIENT, OptionalInt.of(position), true, ProofSink.into(proof));
        return walk(
                step.value(),
                step.value() + 1,
                scope,
                record.workers().get(position).gradientRoot().digest());
    }

    private UnitOutcome reduce(StepIndex step) throws ReplayException, StoreDamage {
        Scope scope = new Scope(Part.REDUCE, OptionalInt.empty(), true, ProofSink.into(proof));
        return walk(
                step.value(),
                step.value() + 1,
                scope,
                requireStep(step).combinedRoot().digest());
    }

    private UnitOutcome update(StepIndex step) throws ReplayException, StoreDamage {
        proofKind = ReplayProof.Kind.POSSESSION;
        return walk(
                step.value(),
                step.value() + 1,
                Scope.ON_THE_WAY,
                requireStep(step).stateRootAfter().digest());
    }

    private UnitOutcome whole(long firstStep, long endStep) throws ReplayException, StoreDamage {
        Scope scope = new Scope(Part.WHOLE, OptionalInt.empty(), true, ProofSink.into(proof));
        Sha256 root = requireStep(new StepIndex(endStep - 1)).stateRootAfter().digest();
        return walk(firstStep, endStep, scope, root);
    }

    /** @param root what the unit comes to when nothing differs */
    private UnitOutcome walk(long firstStep, long endStep, Scope scope, Sha256 root) throws StoreDamage {
        Walk walk = begin(firstStep, endStep, scope.part() == Part.WHOLE ? endStep : firstStep);
        try {
            Optional<Difference> difference = walk.reach(new StepIndex(firstStep));
            long next = Math.max(firstStep, walk.at().scalars().stateIndex().value());
            for (long t = next; difference.isEmpty() && t < endStep; t++) {
                difference = walk.step(new StepIndex(t), scope);
            }
            if (difference.isEmpty() && proofKind == ReplayProof.Kind.POSSESSION) {
                proof.slots(
                        new ProofBuilder.Address(firstStep, 0, 0, 0),
                        walk.at().state().slots());
            }
            return difference.<UnitOutcome>map(UnitOutcome.Differs::new).orElseGet(() -> new UnitOutcome.Same(root));
        } finally {
            steps = walk.steps();
            tokens = walk.tokens();
        }
    }

    private UnitOutcome finished() throws ReplayException, StoreDamage {
        proofKind = ReplayProof.Kind.POSSESSION;
        UnitRange.requireFinal(run);
        Walk walk = begin(run.endStep(), run.endStep(), run.endStep());
        try {
            Optional<Difference> difference = walk.reach(new StepIndex(run.endStep()));
            return difference.isPresent()
                    ? new UnitOutcome.Differs(difference.get())
                    : new FinalUnit(run, proof).replay(walk.at());
        } finally {
            steps = walk.steps();
            tokens = walk.tokens();
        }
    }

    /**
     * A walk to {@code firstState}, or one that an earlier process began.
     *
     * @param lastState where a walk may have stood
     */
    private Walk begin(long firstState, long endStep, long lastState) throws StoreDamage {
        StepReplay runner = new StepReplay(run, engine, workerEngines, storage);
        StateIndex usual = run.walkStart(new StateIndex(firstState));
        Optional<Kept.Resumed> before = kept.walk(usual.value(), lastState);
        LoadedState at = before.isPresent() ? before.get().at() : Walk.start(run, runner, new StateIndex(firstState));
        long parts = run.partsBetween(before.isPresent() ? at.scalars().stateIndex() : usual, endStep);
        Walk walk = new Walk(run, runner, at, new Progress(listener, parts), this::keep);
        before.map(Kept.Resumed::walk).ifPresent(earlier -> {
            walk.after(earlier.steps(), earlier.tokens());
            proof.resume(earlier.proof());
            draft.resume(earlier);
        });
        return walk;
    }

    private void keep(Walk walk) {
        if (kept.isDue()) {
            KeptWalk stands = new KeptWalk(
                    walk.at().scalars(),
                    walk.steps(),
                    walk.tokens(),
                    proof.leaves(),
                    proof.peaks(),
                    draft.startedOn(),
                    draft.worked());
            kept.keep(stands, walk.at().state());
        }
    }

    private StepRecord requireStep(StepIndex step) throws ReplayException, StoreDamage {
        UnitRange.requireStep(run, step);
        return run.record(step);
    }
}
