package org.bitwitness.cli.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.JsonOutput;
import org.bitwitness.cli.support.Nearest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness bench}: what {@code benchmarks/run} calls. */
@Command(
        name = "bench",
        hidden = true,
        description = "Measure a group of benchmarks against its peer; called by benchmarks/run.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness bench startup --out rows.json")
public final class BenchCommand extends BaseCommand {
    static final List<BenchGroup> GROUPS = List.of(
            new StartupGroup(),
            new HashGroup(),
            new CpuGroup(),
            new RecorderGroup(),
            new ReplayGroup(),
            new LogGroup());

    @Parameters(arity = "0..1", paramLabel = "GROUP", description = "The group; without one, the groups are listed.")
    private Optional<String> group;

    @Option(names = "--out", paramLabel = "FILE", description = "Write the rows as JSON to this file too.")
    private Optional<Path> out;

    @Option(
            names = "--only",
            paramLabel = "ROWS",
            description = "Measure only rows whose names start so, for example \"gemm\".")
    private Optional<String> only;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "Runs of each side, 5 or more (default ${DEFAULT-VALUE}).")
    private int runs;

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        if (runs < Alternating.FEWEST_RUNS) {
            throw CommandFailure.usage("--runs: need at least " + Alternating.FEWEST_RUNS + ", got " + runs);
        }
        return group.isEmpty() ? listed() : measured(find(group.get()));
    }

    private CommandResult measured(BenchGroup found) throws Exception {
        List<BenchRow> rows = found.measure(runs, only.map(Selection::parse).orElse(Selection.ALL));
        if (rows.isEmpty()) {
            throw CommandFailure.usage("--only: no row of " + found.name() + " starts with " + only.orElse(""));
        }
        if (out.isPresent()) {
            Files.writeString(out.get(), JsonOutput.write(rows) + "\n");
        }
        List<String> lines = new ArrayList<>();
        rows.forEach(row -> lines.add(String.format(
                Locale.ROOT,
                "%-24s ours %.4g %s, peer %.4g %s, ratio %.2f (%d thread(s), medians of %d)",
                row.name(),
                row.ours(),
                row.unit(),
                row.peer(),
                row.unit(),
                row.ratio(),
                row.threads(),
                row.runs())));
        return CommandResult.of(ExitCode.OK, rows, lines);
    }

    private static CommandResult listed() {
        Map<String, String> groups = new LinkedHashMap<>();
        GROUPS.forEach(known -> groups.put(known.name(), known.describes()));
        List<String> lines = groups.entrySet().stream()
                .map(entry -> String.format(Locale.ROOT, "%-10s %s", entry.getKey(), entry.getValue()))
                .toList();
        return CommandResult.of(ExitCode.OK, groups, lines);
    }

    private static BenchGroup find(String name) throws CommandFailure {
        List<String> names = GROUPS.stream().map(BenchGroup::name).toList();
        return GROUPS.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("no group '" + name + "', there are "
                        + String.join(", ", names)
                        + Nearest.to(name, names).stream()
                                .findFirst()
                                .map(near -> "; did you mean " + near + "?")
                                .orElse("")));
    }
}
