package org.bitwitness.cli.dispute;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness dispute}: a reserved name. */
@Command(
        name = "dispute",
        description = "Settle a disagreement between trainer and auditor. Not in this version.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute open demo-out/run --unit \"GRADIENT(17,2)\"")
public final class DisputeCommand extends ReservedCommand {
    public DisputeCommand() {
        super("replay the unit on a second machine with replay, which names the first difference");
    }
}
