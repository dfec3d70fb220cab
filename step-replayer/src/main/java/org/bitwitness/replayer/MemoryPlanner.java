package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.MemoryNeeds;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ReductionTree;
import org.bitwitness.replayer.MemoryPlan.Part;

/**
 * Says what a replay of a unit will hold at most, from the descriptor alone and before anything is allocated. Tensors are
 * counted exactly; what the JVM needs beside them was measured, with a margin (docs/memory.md).
 */
public final class MemoryPlanner {
    private static final long MIB = 1L << 20;

    /** Code, classes, the compilers' work, and the collector's tables; and for each thread. */
    private static final long JVM = 168 * MIB;

    private static final long JVM_THREAD = 2 * MIB;
    private static final int HEAP_BYTES_PER_TABLE_BYTE = 100;

    /** Small objects, and the young generation they are born in. */
    private static final long OBJECTS = 56 * MIB;

    private static final int HEAP_PARTS = 4;

    /** Step records, samples, hashing. */
    private static final long READING = 24 * MIB;

    private final CommittedRun run;
    private final BackendId backend;
    private final int threads;
    private final boolean keeps;

    /** @param keeps whether the replay keeps its progress for another process */
    public MemoryPlanner(CommittedRun run, BackendId backend, int threads, boolean keeps) {
        this.run = run;
        this.keeps = keeps;
        this.backend = backend;
        this.threads = threads;
    }

    /** The least economical manner whose plan is within {@code bytes}; nothing where none is. */
    public Optional<MemoryPlan> within(AuditUnit unit, long bytes) throws ReplayException {
        return all(unit).stream().filter(plan -> plan.totalBytes() <= bytes).findFirst();
    }

    /**
     * The least economical manner for a JVM whose heap, or share of it, is so large; the most economical where none seems to fit.
     * A quarter stays free: other collectors than the serial one leave gaps between large arrays. Of a unit that cannot be
     * planned the replay itself says what is wrong.
     */
    public Manner forHeap(AuditUnit unit, long bytes) {
        try {
            Optional<MemoryPlan> fits =
                    all(unit).stream().filter(plan -> heapFor(plan) <= bytes).findFirst();
            return (fits.isPresent() ? fits.get() : smallest(unit)).manner();
        } catch (ReplayException e) {
            return Manner.SIDE_BY_SIDE;
        }
    }

    /** The heap, or share of it, that {@link #forHeap} takes this plan for. */
    public static long heapFor(MemoryPlan plan) {
        return Math.multiplyExact(Math.ceilDiv(plan.heapBytes(), HEAP_PARTS - 1L), HEAP_PARTS);
    }

    /** The plan that needs least. */
    public MemoryPlan smallest(AuditUnit unit) throws ReplayException {
        return all(unit).stream()
                .min(Comparator.comparingLong(MemoryPlan::totalBytes))
                .orElseThrow();
    }

    /** The plan of one manner. */
    public MemoryPlan plan(AuditUnit unit, Manner manner) throws ReplayException {
        UnitRange.require(run, unit);
        try {
            return switch (unit) {
                case AuditUnit.Data data -> ofShard(data, manner);
                default -> ofTensors(unit, manner);
            };
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new ReplayException("the run is too large for this version: " + e.getMessage(), e);
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        }
    }

    /** How much there is to do. */
    public ReplayWork work(AuditUnit unit, Manner manner) throws ReplayException {
        return ReplayWork.of(run, unit, manner);
    }

    private List<MemoryPlan> all(AuditUnit unit) throws ReplayException {
        List<MemoryPlan> plans = new ArrayList<>();
        for (Manner manner : Manner.values()) {
            plans.add(plan(unit, manner));
        }
        return plans;
    }

    /** Texts of a shard are read whole, tokenised, and sampled for the proof. */
    private MemoryPlan ofShard(AuditUnit.Data data, Manner manner) throws ReplayException, StoreDamage {
        long bytes = DataUnit.shard(run.dataset(), data.shard()).documents().stream()
                .mapToLong(document -> document.bytes())
                .sum();
        return finished(manner, List.of(new Part("documents", Math.multiplyExact(6, bytes), true)));
    }

    private MemoryPlan ofTensors(AuditUnit unit, Manner manner) throws StoreDamage {
        Sizes sizes = Sizes.of(run, backend, threads, manner);
        List<Part> parts = new ArrayList<>();
        boolean steps = !(unit instanceof AuditUnit.Init);
        if (manner.spills()) {
            // What the step reads, and a few copies of one tensor of every kind: of the state, and of the workers.
            parts.add(new Part("parameters", steps ? sizes.read() : 0, true));
            parts.add(new Part("tensors in passing", Math.multiplyExact(copiesInPassing(), sizes.largest()), true));
            parts.add(new Part("kept progress", keeps ? sizes.parameters() + sizes.moments() : 0, true));
        } else {
            // Before and after an update, or the recorded one and the computed one.
            parts.add(new Part("parameters", 2 * sizes.parameters(), true));
            parts.add(new Part("moments", 2 * sizes.moments(), true));
        }
        if (steps) {
            parts.add(new Part("gradients", gradients(unit, sizes, manner), true));
            parts.add(new Part("activations", sizes.activations(), true));
            parts.add(new Part("packed operands", sizes.packed(), true));
        }
        return finished(manner, parts);
    }

    private long gradients(AuditUnit unit, Sizes sizes, Manner manner) throws StoreDamage {
        long held = sizes.accumulator();
        // What is computed again to find a difference.
        long again = manner.pages() ? 0 : sizes.parameters();
        if (!manner.pages()
                && unit instanceof AuditUnit.Gradient gradient
                && startsAt(gradient.step().value())) {
            return sizes.parameters() + held + again;
        }
        long kept = UpdateLog.isKept(run) ? 3 * sizes.parameters() : 0;
        int workers = run.mostWorkers();
        if (manner.pages() && StepEngine.combinesTensorwise(run.facts().combineRule(workers))) {
            return Math.max(kept, held);
        }
        if (manner.spills()
                && (workers == 1 || StepEngine.combinesTensorwise(run.facts().combineRule(workers)))) {
            return Math.max(kept, sizes.parameters() + held + again);
        }
        long combined = workers == 1 ? 0 : copies(run.facts().combineRule(workers)) * sizes.parameters();
        return Math.max(kept, Math.multiplyExact((long) workers, sizes.parameters()) + combined + held + again);
    }

    /** A gradient of every worker, or a parameter with its moments, their gradient, and what was there before. */
    private long copiesInPassing() {
        Descriptor d = run.descriptor();
        return Math.max(
                        run.mostWorkers() + 1,
                        3 + d.optimizer().momentPrefixes().size())
                + 1L;
    }

    private boolean startsAt(long step) throws StoreDamage {
        return !UpdateLog.isKept(run) && run.walkStart(new StateIndex(step)).value() == step;
    }

    /** Gradients that combining makes beside the workers'. */
    private static int copies(CombineRule rule) {
        return switch (rule) {
            case CombineRule.Ordered ordered -> copies(ordered.tree());
            case CombineRule.Exact _ -> 1;
            case CombineRule.Robust _ -> 2;
        };
    }

    private static int copies(ReductionTree tree) {
        return switch (tree) {
            case ReductionTree.Leaf _ -> 1;
            case ReductionTree.Pair pair ->
                Math.max(
                        copies(pair.left()),
                        1 + (pair.right() instanceof ReductionTree.Leaf ? 0 : copies(pair.right())));
        };
    }

    private MemoryPlan finished(Manner manner, List<Part> tensors) {
        List<Part> parts = new ArrayList<>(tensors);
        parts.add(new Part("reading", READING, true));
        parts.add(new Part("objects", OBJECTS, true));
        long heap = new MemoryPlan(manner, parts).heapBytes();
        parts.add(new Part("JVM", JVM + threads * JVM_THREAD + heap / HEAP_BYTES_PER_TABLE_BYTE, false));
        return new MemoryPlan(manner, parts);
    }

    /** Bytes of a run's tensors. */
    private record Sizes(
            long parameters, long read, long moments, long largest, long accumulator, long activations, long packed) {
        static Sizes of(CommittedRun run, BackendId backend, int threads, Manner manner) throws StoreDamage {
            Descriptor d = run.descriptor();
            ModelTensors tensors = run.facts().tensors();
            StepProgram program = StepProgram.of(
                    tensors,
                    new BatchShape(d.data().sequencesPerMicroBatch(), d.data().contextLength()));
            long parameters = 0;
            long largest = 0;
            for (Parameter p : tensors.manifest().parameters()) {
                parameters = Math.addExact(parameters, (long) p.size() * Float.BYTES);
                largest = Math.max(largest, (long) p.size() * Float.BYTES);
            }
            long side = manner.workersAtATime(backend, threads, d.layout().size());
            // Paged, the first micro-batch takes what the others do.
            long accumulator = d.data().microBatches() == 1 && !manner.pages()
                    ? 0
                    : MemoryNeeds.accumulatorBytes(program, tensors, manner.economy());
            long narrow = RunSetup.profile(d).storesBf16() && !manner.pages() ? parameters : 0;
            long moments = Math.multiplyExact(d.optimizer().momentPrefixes().size(), parameters);
            return new Sizes(
                    parameters,
                    MemoryNeeds.parameterBytes(program, tensors, manner.economy()),
                    moments,
                    largest,
                    Math.multiplyExact(side, Math.addExact(accumulator, narrow)),
                    Math.multiplyExact(side, program.activationBytes(manner.economy())),
                    backend == BackendId.VECTOR
                            ? Math.multiplyExact(side, MemoryNeeds.packedBytes(program, threads))
                            : 0);
        }
    }
}
