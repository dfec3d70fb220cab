package org.bitwitness.cli.dataset;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness dataset show}: a reserved name. */
@Command(
        name = "show",
        description = "Show the manifest and the commitment.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dataset show data")
final class DatasetShow extends ReservedCommand {
    DatasetShow() {
        super("read the manifest.json of the dataset");
    }
}
