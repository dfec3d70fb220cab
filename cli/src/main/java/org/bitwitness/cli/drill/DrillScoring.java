package org.bitwitness.cli.drill;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.DrillFinding;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.scheduler.DrillScore;
import org.bitwitness.scheduler.DrillScore.Checked;
import org.bitwitness.scheduler.DrillScore.Outcome;
import org.bitwitness.scheduler.DrillScore.Row;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness drill score}: who named the planted faults, and who cannot have replayed them. */
@Command(
        name = "score",
        description = {
            "Hold the verdicts on a drill run against the faults that were planted in it.",
            "Each fault is replayed here first: one that a replay does not find is held against nobody.",
            "Verdicts that were logged after the opening, and those of unknown keys, count for nothing.",
            "Exit 0: every verdict on a planted fault names it; 2: an accepted auditor reproduced one, or named",
            "another place, or the opening does not hold; 3: no verdict was on a fault, or one was not decided."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill score --run run --log log --trust trust")
final class DrillScoring extends BaseCommand {
    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the drill's recording.")
    private Path run = Path.of("");

    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        ReplayOptions machine = new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE);
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        DrillFinding drill =
                drill(DrillFinding.all(survey), RecordingReader.open(run).runId());
        List<Checked> checked = check(io, drill, machine);
        return report(drill, checked, DrillScore.rows(survey, drill));
    }

    private static DrillFinding drill(DrillFinding.All all, RunId runId) throws CommandFailure {
        for (DrillFinding held : all.held()) {
            if (held.opening().statement().runId().equals(runId)) {
                return held;
            }
        }
        for (DrillFinding.Refused refused : all.refused()) {
            if (refused.opening().statement().runId().equals(runId)) {
                throw CommandFailure.refused("entry %d opens this run as a drill and does not hold: %s"
                        .formatted(refused.opening().index(), refused.fault()));
            }
        }
        throw CommandFailure.inconclusive(
                "the log opens no drill on run %s: `bitwitness drill open` does, after the audits".formatted(runId));
    }

    private List<Checked> check(CommandIo io, DrillFinding drill, ReplayOptions machine) throws ReplayException {
        try (ProgressBar bar = io.progress("replaying planted faults", 0)) {
            return DrillScore.check(run, drill, machine, bar::update);
        }
    }

    private static CommandResult report(DrillFinding drill, List<Checked> checked, List<Row> all) {
        List<String> lines = new ArrayList<>();
        lines.add(DrillText.headline(drill));
        checked.forEach(fault -> DrillText.line(fault).lines().forEach(lines::add));
        // Where one fault of the list is not there, nothing of the list can be relied on, and nobody is named.
        boolean reliable = checked.stream().allMatch(Checked::holds);
        List<Row> rows = reliable ? all : List.of();
        rows.forEach(row -> lines.add(DrillText.line(row)));
        Map<String, List<Row>> accepted = new TreeMap<>();
        rows.forEach(row -> row.auditor()
                .ifPresent(name ->
                        accepted.computeIfAbsent(name, _ -> new ArrayList<>()).add(row)));
        accepted.forEach((name, own) -> lines.add("@|bold %s|@".formatted(DrillText.line(name, own))));
        ExitCode code = exitCode(
                checked, accepted.values().stream().flatMap(List::stream).toList());
        lines.add(conclusion(code, checked));
        Json.Obj document = Json.object()
                .put("drill", DrillText.document(drill))
                .put(
                        "faults",
                        new Json.Arr(
                                checked.stream().<Json>map(DrillText::document).toList()))
                .put(
                        "verdicts",
                        new Json.Arr(
                                rows.stream().<Json>map(DrillText::document).toList()))
                .build();
        return CommandResult.of(code, document, lines);
    }

    private static ExitCode exitCode(List<Checked> checked, List<Row> accepted) {
        List<ExitCode> codes = new ArrayList<>();
        for (Checked fault : checked) {
            if (!fault.holds()) {
                boolean undecided = fault.replay().verdict() == Verdict.INCONCLUSIVE;
                codes.add(undecided ? ExitCode.INCONCLUSIVE : ExitCode.REFUSED);
            }
        }
        if (!codes.isEmpty()) {
            return ExitCode.worstOf(codes);
        }
        for (Row row : accepted) {
            codes.add(exitCode(row.outcome()));
        }
        // A drill without faults is passed by saying nothing.
        return codes.isEmpty() && checked.isEmpty() ? ExitCode.OK : ExitCode.worstOf(codes);
    }

    private static ExitCode exitCode(Outcome outcome) {
        return switch (outcome) {
            case NAMED -> ExitCode.OK;
            case ELSEWHERE, FALSE_ALARM, MISSED -> ExitCode.REFUSED;
            case UNDECIDED -> ExitCode.INCONCLUSIVE;
        };
    }

    private static String conclusion(ExitCode code, List<Checked> checked) {
        long absent = checked.stream().filter(fault -> !fault.holds()).count();
        if (absent > 0) {
            return "%d of %d planted faults are not found here, so this list is held against nobody"
                    .formatted(absent, checked.size());
        }
        return switch (code) {
            case OK -> "every verdict on a planted fault names it";
            case REFUSED -> "an accepted auditor's verdict is not what a replay gives";
            case USAGE, INCONCLUSIVE -> "nothing was measured, or a verdict decides nothing";
        };
    }
}
