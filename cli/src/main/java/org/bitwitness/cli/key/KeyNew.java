package org.bitwitness.cli.key;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness key new}: a reserved name. */
@Command(
        name = "new",
        description = "Make a new key pair.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key new --out my-keys")
final class KeyNew extends ReservedCommand {
    KeyNew() {
        super("it comes with the attestation module");
    }
}
