package org.bitwitness.replayer;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.replayer.StepReplay.ReduceReplay;
import org.bitwitness.replayer.StepReplay.Updated;
import org.bitwitness.replayer.StepReplay.WorkerReplay;

/** Compares a replayed step with its record, piece by piece in order of time, and says where the first difference is. */
final class StepJudge {
    private static final String LOSS_SUM = "lossSum";

    /** Operators that read random numbers beside their inputs. */
    private static final Set<String> DRAWING =
            Set.of("embedding", "attention", "attention_gradient", "dropout_add", "dropout_gradient");

    private final CommittedRun run;
    private final StepReplay runner;

    StepJudge(CommittedRun run, StepReplay runner) {
        this.run = run;
        this.runner = runner;
    }

    /** Gradient, loss sum and trace of one worker. */
    Optional<Difference> worker(StepInputs in, int position, WorkerReplay replay) throws StoreDamage {
        WorkerRecord record = in.record().workers().get(position);
        if (!replay.root().equals(record.gradientRoot())) {
            return Optional.of(new Difference(
                    locate(in, position, replay, "worker " + record.worker() + "'s gradient differs"),
                    record.gradientRoot().digest(),
                    replay.root().digest(),
                    other -> again(other, in, position).root().digest()));
        }
        Optional<Difference> lossSum = lossSum(in, position, replay);
        return lossSum.isPresent() ? lossSum : trace(in, position, replay);
    }

    private Optional<Difference> lossSum(StepInputs in, int position, WorkerReplay replay) {
        WorkerRecord record = in.record().workers().get(position);
        double expected = record.lossSum();
        double computed = replay.result().lossSum();
        if (sameBits(expected, computed)) {
            return Optional.empty();
        }
        Where where = Where.in(in.record().step())
                .phase(Phase.FORWARD)
                .worker(record.worker())
                .tensor(LOSS_SUM)
                .bits(expected, computed);
        return Optional.of(new Difference(
                where.at(Resolution.TENSOR, "worker " + record.worker() + "'s gradient is equal, its loss sum is not"),
                Disputed.value(LOSS_SUM, expected),
                Disputed.value(LOSS_SUM, computed),
                other -> Disputed.value(
                        LOSS_SUM, again(other, in, position).result().lossSum())));
    }

    private Optional<Difference> trace(StepInputs in, int position, WorkerReplay replay) throws StoreDamage {
        WorkerRecord record = in.record().workers().get(position);
        if (replay.trace().isEmpty() || record.traceRoot().isEmpty()) {
            return Optional.empty();
        }
        Sha256 computed = replay.trace().get().traceRoot().digest();
        Sha256 expected = record.traceRoot().get().digest();
        if (computed.equals(expected)) {
            return Optional.empty();
        }
        return Optional.of(new Difference(
                locate(in, position, replay, "worker " + record.worker() + "'s gradient is equal, its trace is not"),
                expected,
                computed,
                other -> runner.on(other)
                        .worker(in, position, true, TraceSink.NONE)
                        .trace()
                        .orElseThrow()
                        .traceRoot()
                        .digest()));
    }

    private WorkerReplay again(StepEngine other, StepInputs in, int position) {
        return runner.on(other).worker(in, position, false, TraceSink.NONE);
    }

    /** Where a worker's difference begins, by comparing operator after operator as far as the recording has them. */
    private FirstDifference locate(StepInputs in, int position, WorkerReplay replay, String what) throws StoreDamage {
        Where where = Where.in(in.record().step())
                .worker(in.record().workers().get(position).worker());
        Optional<List<TraceEntry>> recorded = run.trace(in, position);
        if (recorded.isEmpty()) {
            return where.at(Resolution.WORKER, what + "; the recording keeps no operator traces, so it goes no finer");
        }
        WorkerReplay traced = replay.trace().isPresent() ? replay : runner.worker(in, position, true, TraceSink.NONE);
        Optional<TraceSearch.Found> found =
                TraceSearch.first(recorded.get(), traced.trace().orElseThrow().entries());
        if (found.isEmpty()) {
            return where.phase(Phase.EMIT)
                    .at(
                            Resolution.PHASE,
                            what + "; every operator of its trace is equal, so it was changed after that");
        }
        PlannedEntry entry = found.get().entry();
        where.phase(entry.phase()).operator(entry.name()).tensor(found.get().tensor());
        if (entry.phase() != Phase.EMIT) {
            where.microBatch(entry.microBatch());
        }
        return where.at(Resolution.TENSOR, what + story(found.get()));
    }

    private static String story(TraceSearch.Found found) {
        PlannedEntry entry = found.entry();
        boolean draws = DRAWING.contains(entry.op());
        return "; first at operator %s (entry %d of its trace), whose inputs are equal%s"
                .formatted(
                        entry.name(),
                        entry.index(),
                        draws ? "; beside them it reads only random numbers, from the RNG counter and the seed" : "");
    }

    /** Combined gradient, exponents, norm, clip factor and loss. */
    Optional<Difference> reduce(StepInputs in, List<WorkerReplay> workers, ReduceReplay replay) {
        StepRecord record = in.record();
        if (!replay.root().equals(record.combinedRoot())) {
            return Optional.of(new Difference(
                    Where.in(record.step())
                            .phase(Phase.REDUCE)
                            .at(Resolution.PHASE, "every worker's gradient is equal, the combined gradient is not"),
                    record.combinedRoot().digest(),
                    replay.root().digest(),
                    other -> runner.on(other).reduce(in, workers).root().digest()));
        }
        if (!replay.exponentsRoot().equals(record.exactExponentsRoot())) {
            return Optional.of(new Difference(
                    value(in, "exactExponents")
                            .at(Resolution.TENSOR, "the combined gradient is equal, its segments' exponents are not"),
                    orNothing(record.exactExponentsRoot()),
                    orNothing(replay.exponentsRoot()),
                    other -> orNothing(runner.on(other).reduce(in, workers).exponentsRoot())));
        }
        return norm(in, workers, replay)
                .or(() -> single(
                        in, workers, "clip", record.clip(), replay.result().clip()))
                .or(() -> single(
                        in, workers, "loss", record.loss(), replay.result().loss()));
    }

    private Optional<Difference> norm(StepInputs in, List<WorkerReplay> workers, ReduceReplay replay) {
        double expected = in.record().norm();
        double computed = replay.result().norm();
        if (sameBits(expected, computed)) {
            return Optional.empty();
        }
        return Optional.of(new Difference(
                value(in, "norm")
                        .bits(expected, computed)
                        .at(Resolution.TENSOR, recordedAs("norm", expected, computed)),
                Disputed.value("norm", expected),
                Disputed.value("norm", computed),
                other -> Disputed.value(
                        "norm", runner.on(other).reduce(in, workers).result().norm())));
    }

    private Optional<Difference> single(
            StepInputs in, List<WorkerReplay> workers, String name, float expected, float computed) {
        if (Float.floatToIntBits(expected) == Float.floatToIntBits(computed)) {
            return Optional.empty();
        }
        return Optional.of(new Difference(
                value(in, name).bits(expected, computed).at(Resolution.TENSOR, recordedAs(name, expected, computed)),
                Disputed.value(name, expected),
                Disputed.value(name, computed),
                other -> {
                    ReduceResult result = runner.on(other).reduce(in, workers).result();
                    return Disputed.value(name, name.equals("clip") ? result.clip() : result.loss());
                }));
    }

    private static String recordedAs(String name, Object expected, Object computed) {
        return "the combined gradient is equal; %s is recorded as %s and is %s".formatted(name, expected, computed);
    }

    private static Where value(StepInputs in, String name) {
        return Where.in(in.record().step()).phase(Phase.REDUCE).tensor(name);
    }

    /** Validity and the state after the step. */
    Optional<Difference> update(StepInputs in, ReduceReplay reduced, Updated updated) throws StoreDamage {
        StepRecord record = in.record();
        if (updated.valid() != record.valid()) {
            return Optional.of(validity(in, reduced, updated));
        }
        if (updated.root().equals(record.stateRootAfter())) {
            return Optional.empty();
        }
        return Optional.of(new Difference(
                new StateDifference(run, runner.storage()).between(record, updated),
                record.stateRootAfter().digest(),
                updated.root().digest(),
                other -> runner.on(other).updated(in, reduced).root().digest()));
    }

    private Difference validity(StepInputs in, ReduceReplay reduced, Updated updated) {
        String expected = validity(in.record().valid());
        String computed = validity(updated.valid());
        Where where = Where.in(in.record().step()).phase(Phase.UPDATE).tensor("valid");
        return new Difference(
                where.at(Resolution.TENSOR, "the record calls the step %s, it is %s".formatted(expected, computed)),
                Disputed.value("valid", expected),
                Disputed.value("valid", computed),
                other -> Disputed.value(
                        "valid", validity(runner.on(other).updated(in, reduced).valid())));
    }

    private static String validity(boolean valid) {
        return valid ? "valid" : "INVALID";
    }

    private static Sha256 orNothing(Optional<Sha256> root) {
        return root.orElseGet(() -> Disputed.value("exactExponents", "absent"));
    }

    /** NaN of any payload is one value, as in every hash. */
    private static boolean sameBits(double a, double b) {
        return Double.doubleToLongBits(a) == Double.doubleToLongBits(b);
    }
}
