package org.bitwitness.cli.audit;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.LimitedChild;
import org.bitwitness.cli.support.ResidentMemory;
import org.bitwitness.cli.support.Sizes;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.MemoryPlan;
import org.bitwitness.replayer.MemoryPlanner;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.scheduler.ReplayTaskRunner;

/**
 * An audit within a limit of memory. Before anything is drawn it must be certain that every unit which could be drawn fits; then
 * another process does the audit, whose heap has what the limit leaves, with as many units at a time as fit into it.
 */
final class AuditMemory {
    private static final String MEMORY = "memory";

    /** Code, buffers and threads of Spark and of the log's client beside a replay's JVM. Measured, with a margin. */
    private static final long SPARK = 96L << 20;

    private static final long THREAD = 2L << 20;
    private static final int HEAP_BYTES_PER_TABLE_BYTE = 100;

    /**
     * How the process that audits is cut.
     *
     * @param slots units at a time
     * @param heapBytes of its heap
     */
    record Division(int slots, long heapBytes) {}

    private final CommittedRun run;
    private final List<AuditUnit> units;
    private final MemoryPlanner planner;

    /** @param units one of every kind that may have to be replayed */
    AuditMemory(CommittedRun run, List<AuditUnit> units, BackendId backend) {
        this.run = run;
        this.units = List.copyOf(units);
        this.planner = new MemoryPlanner(run, backend, 1, true);
    }

    /**
     * The most slots, up to {@code slots}, of which each can replay every unit.
     *
     * @param within bytes of the process that audits
     * @param parent bytes of the one that waits
     * @throws CommandFailure if not even one can, with the least figure
     */
    Division divide(int slots, long within, long parent) throws CommandFailure, ReplayException {
        MemoryPlan hungriest = planner.smallest(units.getFirst());
        for (AuditUnit unit : units) {
            MemoryPlan plan = planner.smallest(unit);
            hungriest = plan.heapBytes() > hungriest.heapBytes() ? plan : hungriest;
        }
        for (int n = slots; n >= 1; n--) {
            long beside = beside(hungriest, n);
            long heap = within - beside - Math.max(0, within - beside) / HEAP_BYTES_PER_TABLE_BYTE;
            if (heap >= least(hungriest, n)) {
                return new Division(n, heap);
            }
        }
        long heap = least(hungriest, 1);
        long least = heap + heap / HEAP_BYTES_PER_TABLE_BYTE + beside(hungriest, 1) + parent + (1 << 20);
        throw CommandFailure.usage(
                "--memory is too little to audit run %s: the least it takes is --memory %s. Nothing was drawn or started"
                        .formatted(run.commitment().runId(), Sizes.mebibytes(least)));
    }

    private static long least(MemoryPlan hungriest, int slots) {
        return Math.addExact(
                ReplayTaskRunner.BESIDE_BYTES, Math.multiplyExact(slots, MemoryPlanner.heapFor(hungriest)));
    }

    private static long beside(MemoryPlan plan, int slots) {
        return plan.totalBytes() - plan.heapBytes() + SPARK + slots * THREAD;
    }

    /**
     * Audits in a process of its own.
     *
     * @param limit bytes of both processes
     * @param command the same audit, with {@code --json}
     */
    LimitedChild.Ended audit(int slots, long limit, List<String> command, CommandIo io)
            throws CommandFailure, ReplayException, IOException, InterruptedException {
        long own = LimitedChild.ownBytes();
        Division division = divide(slots, limit - own, own);
        io.say("memory     %s, a heap of %s; %d at a time of the units"
                .formatted(Sizes.mebibytes(limit), Sizes.mebibytes(division.heapBytes()), division.slots()));
        LimitedChild.Ended ended =
                LimitedChild.run(command, new LimitedChild.Limits(division.heapBytes(), limit - own, own), io);
        return new LimitedChild.Ended(ended.code(), withPeak(ended.document(), "waitingResidentBytes", true));
    }

    /** What this process took, beside what is there. */
    static Json.Obj withPeak(Json.Obj document, String name, boolean waiting) {
        Map<String, Json> members = new LinkedHashMap<>(document.members());
        Map<String, Json> memory = new LinkedHashMap<>();
        if (members.get(MEMORY) instanceof Json.Obj found) {
            memory.putAll(found.members());
        }
        (waiting ? ResidentMemory.now() : ResidentMemory.peak())
                .ifPresent(bytes -> memory.put(name, new Json.Int(bytes)));
        members.put(MEMORY, new Json.Obj(memory));
        return new Json.Obj(members);
    }

    /** What the two processes took, for a person. */
    static Optional<String> line(Json.Obj document) {
        return document.members().get(MEMORY) instanceof Json.Obj found
                        && found.members().get("peakResidentBytes") instanceof Json.Int peak
                        && found.members().get("waitingResidentBytes") instanceof Json.Int waiting
                ? Optional.of("memory     at most %s resident, and %s of the process that waited"
                        .formatted(Sizes.mebibytes(peak.value()), Sizes.mebibytes(waiting.value())))
                : Optional.empty();
    }
}
