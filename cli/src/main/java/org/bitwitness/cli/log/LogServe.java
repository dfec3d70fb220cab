package org.bitwitness.cli.log;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness log serve}: a reserved name. */
@Command(
        name = "serve",
        description = "Serve a log for writing and reading.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log serve --dir log --port 0")
final class LogServe extends ReservedCommand {
    LogServe() {
        super("it comes with the attestation module");
    }
}
