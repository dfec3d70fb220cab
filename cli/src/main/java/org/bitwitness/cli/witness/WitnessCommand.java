package org.bitwitness.cli.witness;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness witness}. */
@Command(
        name = "witness",
        subcommands = {WitnessServe.class},
        description = "Cosign checkpoints that only ever grow.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness witness serve --dir witness-a --port 0")
public final class WitnessCommand extends GroupCommand {}
