package org.bitwitness.cli.log;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness log show}: a reserved name. */
@Command(
        name = "show",
        description = "Show the checkpoint and the entries of a log.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log show demo-out/log")
final class LogShow extends ReservedCommand {
    LogShow() {
        super("read the checkpoint file of the log");
    }
}
