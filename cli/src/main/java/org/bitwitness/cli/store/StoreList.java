package org.bitwitness.cli.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bitwitness.cli.store.objects.ObjectStore;
import org.bitwitness.cli.store.objects.StoredRun;
import org.bitwitness.cli.store.objects.Stores;
import org.bitwitness.cli.store.objects.Upkeep;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bitwitness store list}. */
@Command(
        name = "list",
        description = "List the runs of a store, and what keeping every file once saves.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store list --store runs")
final class StoreList extends BaseCommand {
    @Mixin
    private StoreOption store = new StoreOption();

    /** A line of the list. */
    record Run(String runId, long commitments, int files, long bytes) {}

    /** Everything that is shown. */
    record Listing(List<Run> runs, Upkeep.Usage usage, double ratio) {}

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, ProtocolException {
        try (ObjectStore objects = Stores.open(store.place())) {
            List<Run> runs = new ArrayList<>();
            for (StoredRun run : objects.runs().values()) {
                runs.add(new Run(run.runId().hex(), run.commitments(), run.fileCount(), run.bytes()));
            }
            Upkeep.Usage usage = new Upkeep(objects).usage();
            List<String> lines = new ArrayList<>();
            runs.forEach(run -> lines.add("%s  %d commitments, %d files, %d bytes"
                    .formatted(run.runId(), run.commitments(), run.files(), run.bytes())));
            lines.add(String.format(
                    Locale.ROOT,
                    "%d runs of %d bytes in %d objects of %d bytes: ratio %.2f",
                    usage.runs(),
                    usage.runBytes(),
                    usage.objects() - usage.unnamed(),
                    usage.objectBytes() - usage.unnamedBytes(),
                    usage.ratio()));
            if (usage.unnamed() > 0) {
                lines.add("%d objects of %d bytes belong to no run: store gc deletes them"
                        .formatted(usage.unnamed(), usage.unnamedBytes()));
            }
            return CommandResult.of(ExitCode.OK, new Listing(runs, usage, usage.ratio()), lines);
        }
    }
}
