package org.bitwitness.cli.key;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness key show}: a reserved name. */
@Command(
        name = "show",
        description = "Show the public half of a key and its name.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key show my-keys")
final class KeyShow extends ReservedCommand {
    KeyShow() {
        super("it comes with the attestation module");
    }
}
