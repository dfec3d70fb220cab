package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness profile init}: a reserved name. */
@Command(
        name = "init",
        description = "Write the initial state of a configuration.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile init --config small.json --out state")
final class ProfileInit extends ReservedCommand {
    ProfileInit() {
        super("it comes with the deterministic-kernels module");
    }
}
