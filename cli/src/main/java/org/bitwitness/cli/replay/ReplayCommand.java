package org.bitwitness.cli.replay;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness replay}: a reserved name. */
@Command(
        name = "replay",
        description = "Replay one unit of a recording and compare the bits.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness replay demo-out/run --unit \"STEP(17)\"")
public final class ReplayCommand extends ReservedCommand {
    public ReplayCommand() {
        super("it comes with the step-replayer module");
    }
}
