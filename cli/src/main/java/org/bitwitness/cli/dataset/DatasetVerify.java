package org.bitwitness.cli.dataset;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness dataset verify}: a reserved name. */
@Command(
        name = "verify",
        description = "Check every shard against the manifest.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dataset verify data")
final class DatasetVerify extends ReservedCommand {
    DatasetVerify() {
        super("it comes with the datasets module");
    }
}
