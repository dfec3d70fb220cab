package org.bitwitness.replayer.dispute;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.TracePlan;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * One worker's part of one committed step, as far as it follows from the premise: which operators it has, where their inputs
 * come from, and how their trace entries are spelled. Nothing of it is anybody's word in the dispute.
 */
public final class DisputedUnit {
    /** Operators of one worker in one step; more are refused before a plan is made. */
    public static final int MAX_ENTRIES = 1 << 20;

    /** Every layer has more, in each micro-batch: seen before anything is planned. */
    private static final int MIN_ENTRIES_OF_A_LAYER = 8;

    /** Largest rotary table that is computed for a plan. */
    private static final long MAX_TABLE_ELEMENTS = 1L << 26;

    private final Premise premise;
    private final int position;
    private final List<BatchShape> shapes;
    private final List<PlannedEntry> entries;
    private final List<String> stateNames;

    private DisputedUnit(Premise premise, int position, List<BatchShape> shapes, List<PlannedEntry> entries) {
        this.premise = premise;
        this.position = position;
        this.shapes = shapes;
        this.entries = entries;
        this.stateNames = stateNames(premise);
    }

    /** @throws DisputeException if the record has no such worker, or this version cannot plan its step */
    public static DisputedUnit of(Premise premise, AuditUnit.Gradient unit) throws DisputeException {
        int position = premise.record().layout().workers().indexOf(unit.worker());
        if (position < 0) {
            throw new DisputeException("step %s has workers %s, not %s"
                    .formatted(unit.step(), premise.record().layout().workers(), unit.worker()));
        }
        requireSize(
                premise, premise.record().workers().get(position).microBatches().size());
        try {
            int length = premise.descriptor().data().contextLength();
            List<BatchShape> shapes = premise.record().workers().get(position).microBatches().stream()
                    .map(batch -> new BatchShape(batch.sampleIds().size(), length))
                    .toList();
            ModelTensors tensors = RunSetup.tensors(premise.descriptor());
            long operators =
                    StepProgram.of(tensors, shapes.getFirst()).operators().size();
            if ((operators + 1) * shapes.size() > MAX_ENTRIES) {
                throw new DisputeException("worker %s has %d operators in each of %d micro-batches: more than %d"
                        .formatted(unit.worker(), operators, shapes.size(), MAX_ENTRIES));
            }
            List<StepProgram> programs =
                    shapes.stream().map(shape -> StepProgram.of(tensors, shape)).toList();
            return new DisputedUnit(
                    premise, position, shapes, TracePlan.of(tensors, programs).entries());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new DisputeException("this version cannot plan the step: " + e.getMessage(), e);
        }
    }

    /** A premise may be anybody's invention: what it would make us allocate is bounded first. */
    private static void requireSize(Premise premise, int microBatches) throws DisputeException {
        ModelSpec model = premise.descriptor().model();
        if ((long) model.layers() * microBatches > MAX_ENTRIES / MIN_ENTRIES_OF_A_LAYER) {
            throw new DisputeException("%d layers in %d micro-batches are too many operators for a dispute: at most %d"
                    .formatted(model.layers(), microBatches, MAX_ENTRIES));
        }
        if ((long) model.context() * model.headDim() > MAX_TABLE_ELEMENTS) {
            throw new DisputeException("a context of %d with heads of %d is too large for a dispute"
                    .formatted(model.context(), model.headDim()));
        }
    }

    private static List<String> stateNames(Premise premise) {
        ModelConfig model = RunSetup.model(premise.descriptor());
        List<String> parameters = ParameterManifest.of(model).parameters().stream()
                .map(p -> p.name())
                .toList();
        return Stream.concat(
                        parameters.stream(),
                        premise.descriptor().optimizer().momentPrefixes().stream()
                                .flatMap(prefix -> parameters.stream().map(name -> prefix + name)))
                .sorted(Utf8Order.COMPARATOR)
                .toList();
    }

    public Premise premise() {
        return premise;
    }

    /** Place of the worker in the layout. */
    public int position() {
        return position;
    }

    public WorkerRecord worker() {
        return premise.record().workers().get(position);
    }

    /** The trace's entries without their outputs' roots. */
    public List<PlannedEntry> entries() {
        return entries;
    }

    BatchShape shape(int microBatch) {
        return shapes.get(microBatch);
    }

    MicroBatchRecord batch(int microBatch) {
        return worker().microBatches().get(microBatch);
    }

    /** Place in the state's tree of a tensor; its leaves are the tensors by name. */
    int stateIndex(String name) {
        return stateNames.indexOf(name);
    }

    int stateCount() {
        return stateNames.size();
    }

    /** Counted targets that the loss is divided by. */
    long targetCount() {
        return premise.descriptor().aggregation().averaging() == Averaging.TOKENS
                ? premise.record().targetCount()
                : worker().targetCount();
    }

    /** Hash of an entry with these outputs; nothing where their number is not the program's. */
    Optional<Sha256> leafHash(int index, List<Sha256> outputs) {
        PlannedEntry planned = entries.get(index);
        return planned.outputs().size() == outputs.size()
                ? Optional.of(MerkleTree.leafHash(new TraceEntry(planned, position, outputs).toBytes()))
                : Optional.empty();
    }

    /** Root of the gradient whose tensors have these roots, in the order of the last entry. */
    GradientRoot gradientRoot(List<Sha256> emitted) {
        return new WorkerTrace(List.of(new TraceEntry(entries.getLast(), position, emitted))).gradientRoot();
    }
}
