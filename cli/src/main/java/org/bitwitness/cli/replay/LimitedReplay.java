package org.bitwitness.cli.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.LimitedChild;
import org.bitwitness.cli.support.MemoryOptions;
import org.bitwitness.cli.support.ResidentMemory;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.Calibration;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.Manner;
import org.bitwitness.replayer.MemoryPlan;
import org.bitwitness.replayer.MemoryPlanner;
import org.bitwitness.replayer.ReplayException;

/**
 * A replay within a limit of memory. The process that was started plans, refuses what cannot be done, and starts another
 * one whose heap has the planned size; that one measures how fast the machine is, says how long it will take, and replays.
 */
final class LimitedReplay {
    private static final String MEMORY = "memory";

    /**
     * @param report of the replay
     * @param memory what was planned and measured, where there was a limit
     */
    record Replayed(ReplayReport report, Optional<Json.Obj> memory) {
        /** The report, and with a limit one more member. */
        Json document() {
            Map<String, Json> members =
                    new LinkedHashMap<>(ReplayReportJson.toJson(report).members());
            memory.ifPresent(found -> members.put(MEMORY, found));
            return new Json.Obj(members);
        }
    }

    /** Replays in this process. */
    @FunctionalInterface
    interface Here {
        ReplayReport replay(Manner manner) throws CommandFailure, ReplayException;
    }

    private final AuditUnit unit;
    private final MemoryOptions options;
    private final BackendOptions backend;
    private final MemoryPlanner planner;

    LimitedReplay(CommittedRun run, AuditUnit unit, MemoryOptions options, BackendOptions backend, boolean keeps)
            throws CommandFailure {
        this.unit = unit;
        this.options = options;
        this.backend = backend;
        this.planner = new MemoryPlanner(run, backend.id(), backend.threads(), keeps);
    }

    /** @param command the same replay, with {@code --json} */
    Replayed inParent(CommandIo io, List<String> command) throws Exception {
        long own = LimitedChild.ownBytes();
        long limit = options.bytes().orElseThrow();
        MemoryPlan plan = plan(limit - own, own);
        options.lines(plan, own).forEach(io::say);
        LimitedChild.Ended ended =
                LimitedChild.run(command, new LimitedChild.Limits(plan.heapBytes(), limit - own, own), io);
        Map<String, Json> members = new LinkedHashMap<>(ended.document().members());
        Json memory = members.remove(MEMORY);
        if (!(memory instanceof Json.Obj found)) {
            throw CommandFailure.usage("the process that replayed printed no report; nothing was judged");
        }
        ReplayReport report = read(new Json.Obj(members));
        if (ExitCode.of(report.verdict()).code() != ended.code()) {
            throw CommandFailure.usage(
                    "the process that replayed says %s and ended with exit code %d; nothing was judged"
                            .formatted(report.verdict(), ended.code()));
        }
        return new Replayed(report, Optional.of(withOwnPeak(found)));
    }

    private MemoryPlan plan(long within, long own) throws CommandFailure, ReplayException {
        Optional<MemoryPlan> plan = planner.within(unit, within);
        if (plan.isEmpty()) {
            throw options.refusal(unit.text(), planner.smallest(unit), own);
        }
        return plan.get();
    }

    private static ReplayReport read(Json.Obj report) throws CommandFailure {
        try {
            return ReplayReportJson.read(report.toText());
        } catch (ProtocolException e) {
            throw new CommandFailure(ExitCode.USAGE, "the process that replayed: " + e.getMessage(), e);
        }
    }

    private static Json.Obj withOwnPeak(Json.Obj found) {
        Map<String, Json> members = new LinkedHashMap<>(found.members());
        ResidentMemory.now().ifPresent(bytes -> members.put("waitingResidentBytes", new Json.Int(bytes)));
        return new Json.Obj(members);
    }

    Replayed inChild(CommandIo io, Here here) throws CommandFailure, ReplayException {
        long own = LimitedChild.parentBytes();
        long within = LimitedChild.within().orElseThrow();
        MemoryPlan plan = plan(within, own);
        Duration estimate = Calibration.measure(backend.id(), backend.threads(), System::nanoTime)
                .estimate(planner.work(unit, plan.manner()));
        io.say("time       roughly %s, from half a second of measuring".formatted(words(estimate)));
        ReplayReport report = here.replay(plan.manner());
        Json.Builder memory = options.json(plan, own).put("estimatedSeconds", estimate.toSeconds());
        ResidentMemory.peak().ifPresent(bytes -> memory.put("peakResidentBytes", bytes));
        return new Replayed(report, Optional.of(memory.build()));
    }

    /** What was planned and what it came to, for a person. */
    static String line(Json.Obj memory) {
        List<String> words = new ArrayList<>();
        words.add("planned " + mebibytes(memory, "plannedBytes"));
        if (memory.members().containsKey("peakResidentBytes")) {
            words.add("at most %s resident, and %s of the process that waited"
                    .formatted(mebibytes(memory, "peakResidentBytes"), mebibytes(memory, "waitingResidentBytes")));
        }
        return "  memory     " + String.join("; ", words);
    }

    private static String mebibytes(Json.Obj memory, String key) {
        return memory.members().get(key) instanceof Json.Int bytes ? (bytes.value() >> 20) + "M" : "?";
    }

    private static String words(Duration time) {
        return time.toMinutes() < 2 ? time.toSeconds() + " s" : time.toMinutes() + " min";
    }
}
