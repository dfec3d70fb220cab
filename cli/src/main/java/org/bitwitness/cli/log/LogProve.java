package org.bitwitness.cli.log;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness log prove}: a reserved name. */
@Command(
        name = "prove",
        description = "Print the inclusion proof of an entry.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log prove demo-out/log --index 3")
final class LogProve extends ReservedCommand {
    LogProve() {
        super("it comes with the attestation module");
    }
}
