package org.bitwitness.cli.serve;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness serve}: a reserved name. */
@Command(
        name = "serve",
        description = "Serve the portal over a log and recordings.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness serve --dir demo-out --port 8080")
public final class ServeCommand extends ReservedCommand {
    public ServeCommand() {
        super("read the summary.json and verdicts of the demo");
    }
}
