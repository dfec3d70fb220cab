package org.bitwitness.cli.store;

import java.io.IOException;
import java.util.Map;
import org.bitwitness.cli.store.objects.ObjectStore;
import org.bitwitness.cli.store.objects.StoredRun;
import org.bitwitness.cli.store.objects.Stores;
import org.bitwitness.cli.store.objects.Upkeep;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code bitwitness store remove}. */
@Command(
        name = "remove",
        description = "Take a run off a store's list. Its files stay until store gc.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store remove 8eeb0b84 --store runs")
final class StoreRemove extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "The run's name, or enough of its first digits.")
    private String run;

    @Mixin
    private StoreOption store = new StoreOption();

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, ProtocolException {
        try (ObjectStore objects = Stores.open(store.place())) {
            StoredRun stored = objects.run(run);
            new Upkeep(objects).remove(stored);
            return CommandResult.ok(
                    Map.of("runId", stored.runId().hex()),
                    "run %s is off the list of %s; store gc frees what no other run uses"
                            .formatted(stored.runId(), objects.describe()));
        }
    }
}
