package org.bitwitness.cli.run;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness run verify}: a reserved name. */
@Command(
        name = "verify",
        description = "Check all of a recording that needs no arithmetic.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run verify demo-out/run")
final class RunVerify extends ReservedCommand {
    RunVerify() {
        super("it comes with the protocol module");
    }
}
