package org.bitwitness.cli.run;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness run fetch}: a reserved name. */
@Command(
        name = "fetch",
        description = "Fetch a recording from a store.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run fetch https://portal.example/runs/ab12 --out run")
final class RunFetch extends ReservedCommand {
    RunFetch() {
        super("copy the folder of the recording yourself, then use run verify");
    }
}
