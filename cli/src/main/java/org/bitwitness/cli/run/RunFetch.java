package org.bitwitness.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.cli.run.fetch.Sources;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness run fetch}: a recording, or what some units need of it. */
@Command(
        name = "fetch",
        description = "Copy a recording, or only what some units need, and check every byte against its commitments.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness run fetch demo-out/run --out run-copy",
            "  bitwitness run fetch file:///mnt/runs/ab12 --units 'STEP(17),FINAL' --out part"
        })
final class RunFetch extends BaseCommand {
    @Parameters(paramLabel = "FROM", description = "A folder, or the URL of one that Hadoop can read.")
    private String from;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder to copy to; may be half full.")
    private Path out;

    @Option(
            names = "--units",
            paramLabel = "UNITS",
            description = "Copy only what a replay of these units reads, for example 'STEP(17),GRADIENT(20,1)'.")
    private Optional<String> units = Optional.empty();

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io)
            throws CommandFailure, IOException, DatasetException, ProtocolException {
        Optional<Collection<AuditUnit>> wanted = units.isPresent() ? Optional.of(parse(units.get())) : Optional.empty();
        try (RecordingSource source = Sources.named(from)) {
            Fetch fetch = new Fetch(source, out, next -> Thread.sleep(200L << next), io::note);
            Fetch.Result result = fetch.run(wanted);
            return CommandResult.ok(
                    result,
                    "%d files copied to %s (%d bytes), %d were there; the recording has %d"
                            .formatted(result.copied(), out, result.copiedBytes(), result.present(), result.listed()));
        }
    }

    /** Commas stand inside units too. */
    private static List<AuditUnit> parse(String text) throws CommandFailure {
        List<AuditUnit> parsed = new ArrayList<>();
        for (String unit : text.split(",(?![^(]*\\))", -1)) {
            try {
                parsed.add(AuditUnit.parse(unit));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage("--units: " + e.getMessage());
            }
        }
        return parsed;
    }
}
