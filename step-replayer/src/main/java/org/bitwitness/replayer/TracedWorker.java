package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.trace.OperatorEvent;
import org.bitwitness.kernels.trace.TensorSource.EntryOutput;
import org.bitwitness.kernels.trace.TraceRebuilder;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * One worker's part of a committed step, with what a party to a dispute needs of it: the recorded trace, and the replayed one
 * with every tensor it reads or writes. Nothing is computed before it is asked for.
 */
public final class TracedWorker {
    private final CommittedRun run;
    private final AuditUnit.Gradient unit;
    private final StepRecord record;
    private final int position;

    private TracedWorker(CommittedRun run, AuditUnit.Gradient unit, StepRecord record, int position) {
        this.run = run;
        this.unit = unit;
        this.record = record;
        this.position = position;
    }

    /**
     * Finds the unit in the run.
     *
     * @throws ReplayException if the run has no such unit, or its records are not what was committed
     */
    public static TracedWorker of(CommittedRun run, AuditUnit.Gradient unit) throws ReplayException {
        UnitRange.require(run, unit);
        try {
            StepRecord record = run.record(unit.step());
            return new TracedWorker(run, unit, record, record.layout().workers().indexOf(unit.worker()));
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        }
    }

    public StepRecord record() {
        return record;
    }

    /** The worker's part of the record. */
    public WorkerRecord worker() {
        return record.workers().get(position);
    }

    /** That the record stands under the run's commitment. */
    public InclusionProof inclusion() throws ReplayException {
        try {
            List<Sha256> leaves = new ArrayList<>();
            for (long t = 0; t < run.endStep(); t++) {
                leaves.add(run.record(new StepIndex(t)).leafHash());
            }
            return MerkleTree.inclusionProof(leaves, unit.step().value());
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        }
    }

    /**
     * The trace as the trainer recorded it; nothing where it keeps none.
     *
     * @throws ReplayException if the stored trace is not the one that the record commits to
     */
    public Optional<WorkerTrace> recorded() throws ReplayException {
        if (run.descriptor().trace() != TracePolicy.OPERATORS) {
            return Optional.empty();
        }
        try {
            int length = run.descriptor().data().contextLength();
            List<BatchShape> shapes = worker().microBatches().stream()
                    .map(batch -> new BatchShape(batch.sampleIds().size(), length))
                    .toList();
            WorkerTrace trace = TraceRebuilder.entries(
                    run.facts().model(), shapes, position, run.reader().traceOutputs(unit.step(), unit.worker()));
            Optional<TraceRoot> committed = worker().traceRoot();
            if (!committed.equals(Optional.of(trace.traceRoot()))) {
                throw new ReplayException("the stored trace of %s hashes to %s, its record says %s: fetch it again"
                        .formatted(
                                unit,
                                trace.traceRoot(),
                                committed.map(TraceRoot::toString).orElse("nothing")));
            }
            return Optional.of(trace);
        } catch (ProtocolException | IllegalArgumentException e) {
            throw new ReplayException("the stored trace of %s cannot be used: %s".formatted(unit, e.getMessage()), e);
        }
    }

    /**
     * Replays the worker.
     *
     * @param engines with {@code options} says who computes
     * @throws ReplayException if the run differs before this worker computes, or what it reads is not what was committed
     */
    public Replayed replay(EngineFactory engines, ReplayOptions options, ProgressListener listener)
            throws ReplayException {
        try (StepEngine engine = engines.engine(run.facts().tensors(), options.backend(), options.threads())) {
            StepReplay runner = new StepReplay(run, engine, Storage.inMemory());
            StateIndex state = new StateIndex(unit.step().value());
            long parts = run.partsBetween(run.walkStart(state), unit.step().value() + 1);
            Walk walk = new Walk(run, runner, Walk.start(run, runner, state), new Progress(listener, parts), _ -> {});
            Optional<Difference> before = walk.reach(unit.step());
            if (before.isPresent()) {
                throw otherPlace(before.get());
            }
            return switch (new InputCheck(run).check(record, walk.at().scalars())) {
                case InputCheck.Outcome.Unequal unequal -> throw otherPlace(unequal.difference());
                case InputCheck.Outcome.Equal equal ->
                    new Replayed(
                            new Setting(run, engines, options, position),
                            new StepInputs(
                                    record, walk.at().scalars(), walk.at().state(), equal.batches()),
                            runner);
            };
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        } catch (BackendAbsentException e) {
            throw new ReplayException(e.getMessage() + "; nothing was replayed", e);
        }
    }

    private ReplayException otherPlace(Difference difference) {
        return new ReplayException("the first difference lies before %s's operators: %s. Dispute that, or run replay"
                .formatted(unit, difference.where()));
    }

    private record Setting(CommittedRun run, EngineFactory engines, ReplayOptions options, int position) {}

    /** What this machine computes for the worker. */
    public static final class Replayed {
        private final Setting setting;
        private final StepInputs in;
        private final WorkerTrace trace;

        private Replayed(Setting setting, StepInputs in, StepReplay runner) {
            this.setting = setting;
            this.in = in;
            this.trace = runner.worker(in, setting.position(), true, TraceSink.NONE)
                    .trace()
                    .orElseThrow();
        }

        public WorkerTrace trace() {
            return trace;
        }

        /** Of the state before the step. */
        public Scalars scalars() {
            return in.scalars();
        }

        /** Parameters and moments before the step. */
        public List<F32Tensor> state() {
            return in.state().tensors();
        }

        public MicroBatch batch(int index) {
            return in.batches().get(setting.position()).get(index);
        }

        /** Computes again and keeps some outputs. */
        public Map<EntryOutput, float[]> outputs(Set<EntryOutput> wanted) throws ReplayException {
            Map<EntryOutput, float[]> kept = new HashMap<>();
            CommittedRun run = setting.run();
            ReplayOptions options = setting.options();
            try (StepEngine engine =
                    setting.engines().engine(run.facts().tensors(), options.backend(), options.threads())) {
                new StepReplay(run, engine, Storage.inMemory())
                        .worker(in, setting.position(), false, event -> keep(event, wanted, kept));
            } catch (StoreDamage e) {
                throw new ReplayException(e.reason(), e);
            }
            return kept;
        }

        private static void keep(OperatorEvent event, Set<EntryOutput> wanted, Map<EntryOutput, float[]> kept) {
            for (int o = 0; o < event.outputs().size(); o++) {
                EntryOutput output = new EntryOutput(event.entry().index(), o);
                if (wanted.contains(output)) {
                    kept.put(output, event.outputs().get(o).get().clone());
                }
            }
        }
    }
}
