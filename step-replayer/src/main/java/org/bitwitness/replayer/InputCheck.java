package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.SampleRows;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * Compares what a step's record says about the step's inputs with what descriptor, state and dataset give. Runs before
 * any arithmetic, so that nobody is blamed for a gradient when the batch or the random numbers were other ones.
 */
final class InputCheck {

    /** Either every input is the committed one, or the first that is not. */
    sealed interface Outcome {
        /** Everything is as committed; {@code batches} are the micro-batches by layout position. */
        record Equal(List<List<MicroBatch>> batches) implements Outcome {}

        record Unequal(Difference difference) implements Outcome {}
    }

    /** Single precision has no use for another one. */
    private static final double LOSS_SCALE = 1.0;

    private final CommittedRun run;

    InputCheck(CommittedRun run) {
        this.run = run;
    }

    Outcome check(StepRecord record, Scalars scalars) throws StoreDamage {
        Layout before = run.layoutBefore(record.step());
        Optional<Difference> difference = scalars(record.step(), before, scalars)
                .or(() -> learningRate(record, scalars))
                .or(() -> reduction(record, before));
        if (difference.isPresent()) {
            return new Outcome.Unequal(difference.get());
        }
        List<List<MicroBatch>> batches = new ArrayList<>();
        for (int position = 0; position < record.workers().size(); position++) {
            List<MicroBatch> ofWorker = new ArrayList<>();
            Optional<Difference> wrong = worker(record, scalars, position, ofWorker);
            if (wrong.isPresent()) {
                return new Outcome.Unequal(wrong.get());
            }
            batches.add(ofWorker);
        }
        return targetCount(record, batches)
                .<Outcome>map(Outcome.Unequal::new)
                .orElseGet(() -> new Outcome.Equal(batches));
    }

    private Optional<Difference> scalars(StepIndex step, Layout before, Scalars scalars) {
        return number(
                        step,
                        "scalars.stateIndex",
                        step.value(),
                        scalars.stateIndex().value(),
                        "the number of the state")
                .or(() -> number(
                        step,
                        "scalars.schedulePosition",
                        step.value(),
                        scalars.schedulePosition(),
                        "the position in the learning rate schedule"))
                .or(() -> number(
                        step,
                        "scalars.rngCounter",
                        scalars.updateCount() + 1,
                        scalars.rngCounter(),
                        "the RNG counter (update count + 1)"))
                .or(() -> lossScale(step, scalars))
                .or(() -> layout(step, before, scalars));
    }

    /** The recording has {@code recorded} where the rules give {@code computed}. */
    private Optional<Difference> number(StepIndex step, String name, long computed, long recorded, String meaning) {
        if (computed == recorded) {
            return Optional.empty();
        }
        return Optional.of(Difference.withoutArithmetic(
                Where.in(step)
                        .phase(Phase.DATA)
                        .tensor(name)
                        .bits(Where.hex(recorded), Where.hex(computed))
                        .at(
                                Resolution.TENSOR,
                                "before step %s %s is recorded as %d, it must be %d"
                                        .formatted(step, meaning, recorded, computed)),
                Disputed.value(name, recorded),
                Disputed.value(name, computed)));
    }

    private Optional<Difference> lossScale(StepIndex step, Scalars scalars) {
        double recorded = scalars.lossScale();
        if (Double.doubleToRawLongBits(recorded) == Double.doubleToRawLongBits(LOSS_SCALE)) {
            return Optional.empty();
        }
        return Optional.of(Difference.withoutArithmetic(
                Where.in(step)
                        .phase(Phase.DATA)
                        .tensor("scalars.lossScale")
                        .bits(recorded, LOSS_SCALE)
                        .at(Resolution.TENSOR, "the loss scale of this profile is 1.0, recorded is " + recorded),
                Disputed.value("lossScale", recorded),
                Disputed.value("lossScale", LOSS_SCALE)));
    }

    private Optional<Difference> layout(StepIndex step, Layout before, Scalars scalars) {
        Sha256 computed = before.digest();
        if (computed.equals(scalars.layoutDigest())) {
            return Optional.empty();
        }
        return Optional.of(Difference.withoutArithmetic(
                Where.in(step)
                        .phase(Phase.DATA)
                        .tensor("scalars.layoutDigest")
                        .at(
                                Resolution.TENSOR,
                                "the step before has workers %s, the state after it says another layout"
                                        .formatted(before.workers())),
                scalars.layoutDigest(),
                computed));
    }

    private Optional<Difference> learningRate(StepRecord record, Scalars scalars) {
        double computed = LearningRate.at(run.descriptor().schedule(), scalars.schedulePosition());
        double recorded = record.learningRate();
        if (Double.doubleToRawLongBits(computed) == Double.doubleToRawLongBits(recorded)) {
            return Optional.empty();
        }
        return Optional.of(Difference.withoutArithmetic(
                Where.in(record.step())
                        .phase(Phase.DATA)
                        .tensor("learningRate")
                        .bits(recorded, computed)
                        .at(
                                Resolution.TENSOR,
                                "the record has learning rate %s, the schedule gives %s".formatted(recorded, computed)),
                Disputed.value("learningRate", recorded),
                Disputed.value("learningRate", computed)));
    }

    private Optional<Difference> reduction(StepRecord record, Layout before) {
        Layout planned = run.descriptor().plannedLayout(record.step(), before);
        boolean permitted = run.descriptor().permits(record.layout(), record.step(), before);
        String found = record.layout().workers().toString();
        return text(
                        record,
                        "layout",
                        found,
                        permitted ? found : planned.workers().toString())
                .or(() -> text(
                        record,
                        "reduction",
                        record.reduction(),
                        run.descriptor().reductionText(record.layout())))
                .or(() -> text(
                        record,
                        "averaging",
                        record.averaging().name(),
                        run.facts().averaging().name()));
    }

    private Optional<Difference> text(StepRecord record, String name, String recorded, String computed) {
        if (recorded.equals(computed)) {
            return Optional.empty();
        }
        return Optional.of(Difference.withoutArithmetic(
                Where.in(record.step())
                        .phase(Phase.DATA)
                        .tensor(name)
                        .at(
                                Resolution.TENSOR,
                                "the record says %s %s, the descriptor gives %s".formatted(name, recorded, computed)),
                Disputed.value(name, recorded),
                Disputed.value(name, computed)));
    }

    private Optional<Difference> worker(StepRecord record, Scalars scalars, int position, List<MicroBatch> into)
            throws StoreDamage {
        WorkerRecord worker = record.workers().get(position);
        int count = run.batchSpec().microBatches();
        if (worker.microBatches().size() != count) {
            return Optional.of(data(
                    record,
                    position,
                    Disputed.value("microBatches", worker.microBatches().size()),
                    Disputed.value("microBatches", count),
                    "it read %d micro-batches, the descriptor says %d"
                            .formatted(worker.microBatches().size(), count)));
        }
        for (int m = 0; m < count; m++) {
            Optional<Difference> wrong = microBatch(record, scalars, position, m, into);
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        return Optional.empty();
    }

    private Optional<Difference> microBatch(
            StepRecord record, Scalars scalars, int position, int m, List<MicroBatch> into) throws StoreDamage {
        MicroBatchRecord claimed = record.workers().get(position).microBatches().get(m);
        long[] order = run.order().samplesOf(DataCursor.of(scalars), position, m);
        List<Long> computed = Arrays.stream(order).boxed().toList();
        if (!computed.equals(claimed.sampleIds())) {
            return Optional.of(microBatch(
                    record,
                    position,
                    m,
                    Disputed.value("sampleIds", claimed.sampleIds().toString()),
                    Disputed.value("sampleIds", computed.toString()),
                    "it read samples %s, the data order gives %s".formatted(claimed.sampleIds(), computed)));
        }
        SampleRows rows = run.rows(order);
        Sha256 root = MicroBatchRecord.rowsRoot(rows.ids(), rows.targets());
        if (!root.equals(claimed.rowsRoot())) {
            return Optional.of(microBatch(
                    record,
                    position,
                    m,
                    claimed.rowsRoot(),
                    root,
                    "its rows are not the dataset's rows of the samples it names"));
        }
        into.add(MicroBatch.of(rows.ids(), rows.targets()));
        return Optional.empty();
    }

    private Optional<Difference> targetCount(StepRecord record, List<List<MicroBatch>> batches) {
        long all = 0;
        for (int position = 0; position < batches.size(); position++) {
            long computed = batches.get(position).stream()
                    .mapToLong(MicroBatch::targetCount)
                    .sum();
            long recorded = record.workers().get(position).targetCount();
            if (computed != recorded) {
                return Optional.of(data(
                        record,
                        position,
                        Disputed.value("targetCount", recorded),
                        Disputed.value("targetCount", computed),
                        "its record counts %d targets, its batches have %d".formatted(recorded, computed)));
            }
            all += computed;
        }
        return all == record.targetCount()
                ? Optional.empty()
                : number(record.step(), "targetCount", all, record.targetCount(), "the target count of the step");
    }

    private static Difference data(StepRecord record, int position, Sha256 expected, Sha256 computed, String story) {
        var worker = record.workers().get(position).worker();
        return Difference.withoutArithmetic(
                Where.in(record.step())
                        .phase(Phase.DATA)
                        .worker(worker)
                        .at(Resolution.WORKER, "worker " + worker + ": " + story),
                expected,
                computed);
    }

    private static Difference microBatch(
            StepRecord record, int position, int m, Sha256 expected, Sha256 computed, String story) {
        var worker = record.workers().get(position).worker();
        return Difference.withoutArithmetic(
                Where.in(record.step())
                        .phase(Phase.DATA)
                        .worker(worker)
                        .microBatch(m)
                        .at(Resolution.MICRO_BATCH, "worker " + worker + ", micro-batch " + m + ": " + story),
                expected,
                computed);
    }
}
