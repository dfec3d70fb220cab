package org.bitwitness.cli.train;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness train}: a reserved name. */
@Command(
        name = "train",
        description = "Train a model with several workers and record the run.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness train --config run.json --out run")
public final class TrainCommand extends ReservedCommand {
    public TrainCommand() {
        super("it comes with the recorder module");
    }
}
