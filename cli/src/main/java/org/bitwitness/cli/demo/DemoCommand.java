package org.bitwitness.cli.demo;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness demo}: a reserved name. */
@Command(
        name = "demo",
        description = "Walk the whole flow: record, commit, challenge, audit, attest, show.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness demo --no-serve --out demo-out")
public final class DemoCommand extends ReservedCommand {
    public DemoCommand() {
        super("run the commands of the flow one by one, see README");
    }
}
