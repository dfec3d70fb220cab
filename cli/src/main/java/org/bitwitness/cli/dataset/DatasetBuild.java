package org.bitwitness.cli.dataset;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness dataset build}: a reserved name. */
@Command(
        name = "build",
        description = "Turn text into committed shards.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dataset build --out data texts/")
final class DatasetBuild extends ReservedCommand {
    DatasetBuild() {
        super("it comes with the datasets module");
    }
}
