package org.bitwitness.cli.train;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness train-worker}: a reserved name. */
@Command(
        name = "train-worker",
        hidden = true,
        description = "One worker of a training run; started by train.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness train-worker --connect 127.0.0.1:4000")
public final class TrainWorkerCommand extends ReservedCommand {
    public TrainWorkerCommand() {
        super("it is started by train, not by hand");
    }
}
