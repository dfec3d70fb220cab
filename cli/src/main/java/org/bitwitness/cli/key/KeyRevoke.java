package org.bitwitness.cli.key;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness key revoke}: a reserved name. */
@Command(
        name = "revoke",
        description = "Log that a key is not to be trusted any more.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key revoke my-keys")
final class KeyRevoke extends ReservedCommand {
    KeyRevoke() {
        super("take the key out of the trust folder that verifiers use");
    }
}
