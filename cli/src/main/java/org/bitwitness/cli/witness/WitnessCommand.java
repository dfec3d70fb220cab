package org.bitwitness.cli.witness;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness witness}. */
@Command(
        name = "witness",
        subcommands = {WitnessServe.class},
        description = "Cosign checkpoints that only ever grow.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness witness serve --dir w1-state --key keys/w1 --log keys/log/vkey --port 8081")
public final class WitnessCommand extends GroupCommand {}
