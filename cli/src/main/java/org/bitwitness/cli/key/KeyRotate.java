package org.bitwitness.cli.key;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness key rotate}: a reserved name. */
@Command(
        name = "rotate",
        description = "Replace a key and log the handover.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key rotate my-keys")
final class KeyRotate extends ReservedCommand {
    KeyRotate() {
        super("make a new key with key new, and publish its public half where the old one stands");
    }
}
