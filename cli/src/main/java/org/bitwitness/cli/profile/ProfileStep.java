package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness profile step}: a reserved name. */
@Command(
        name = "step",
        description = "Compute one step of a configuration.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile step --config small.json")
final class ProfileStep extends ReservedCommand {
    ProfileStep() {
        super("it comes with the deterministic-kernels module");
    }
}
