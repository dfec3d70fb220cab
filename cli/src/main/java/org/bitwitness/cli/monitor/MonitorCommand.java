package org.bitwitness.cli.monitor;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness monitor}: a reserved name. */
@Command(
        name = "monitor",
        description = "Watch a log and report what is new or wrong.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness monitor --log https://log.example")
public final class MonitorCommand extends ReservedCommand {
    public MonitorCommand() {
        super("run log fsck from time to time");
    }
}
