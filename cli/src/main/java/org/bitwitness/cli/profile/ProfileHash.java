package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness profile hash}: a reserved name. */
@Command(
        name = "hash",
        description = "Print the roots of a state or tensor file.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile hash model.safetensors")
final class ProfileHash extends ReservedCommand {
    ProfileHash() {
        super("it comes with the deterministic-kernels module");
    }
}
