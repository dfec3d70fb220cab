package org.bitwitness.cli.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.cli.store.objects.ObjectStore;
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

/** {@code bitwitness store check}. */
@Command(
        name = "check",
        description = "Read every byte of a store and name what is missing, damaged or strange.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store check --store runs")
final class StoreCheck extends BaseCommand {
    @Mixin
    private StoreOption store = new StoreOption();

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, ProtocolException {
        try (ObjectStore objects = Stores.open(store.place())) {
            Upkeep.Checked checked = new Upkeep(objects).check();
            boolean whole = checked.wrong().isEmpty();
            List<String> lines = new ArrayList<>();
            checked.wrong().forEach(line -> lines.add("✗ " + line));
            checked.unnamed().forEach(line -> lines.add("  " + line));
            lines.add("%s %s: %d runs, %d objects, %d bytes read%s"
                    .formatted(
                            whole ? "✓" : "✗",
                            objects.describe(),
                            checked.runs(),
                            checked.objects(),
                            checked.bytes(),
                            whole
                                    ? ", everything is what its name says"
                                    : "; store add --reread of a good copy mends what it has"));
            return CommandResult.of(whole ? ExitCode.OK : ExitCode.REFUSED, checked, lines);
        }
    }
}
