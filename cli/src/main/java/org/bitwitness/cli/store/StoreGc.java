package org.bitwitness.cli.store;

import java.io.IOException;
import org.bitwitness.cli.store.objects.ObjectStore;
import org.bitwitness.cli.store.objects.Stores;
import org.bitwitness.cli.store.objects.Upkeep;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness store gc}. */
@Command(
        name = "gc",
        description = "Delete files of a store that no run names, while nobody adds one.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store gc --store runs --dry-run")
final class StoreGc extends BaseCommand {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = {"-n", "--dry-run"},
            description = "Only say what would be deleted.")
    private boolean dryRun;

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, ProtocolException {
        try (ObjectStore objects = Stores.open(store.place())) {
            Upkeep.Collected collected = new Upkeep(objects).collect(dryRun);
            return CommandResult.ok(
                    collected,
                    "%d objects of %d bytes, %d old lists and %d half written files %s"
                            .formatted(
                                    collected.objects(),
                                    collected.bytes(),
                                    collected.manifests(),
                                    collected.leftovers(),
                                    dryRun ? "would be deleted" : "deleted"));
        }
    }
}
