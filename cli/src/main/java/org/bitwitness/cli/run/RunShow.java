package org.bitwitness.cli.run;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness run show}: a reserved name. */
@Command(
        name = "show",
        description = "Show what a recording says about itself.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run show demo-out/run")
final class RunShow extends ReservedCommand {
    RunShow() {
        super("read the descriptor.json of the recording");
    }
}
