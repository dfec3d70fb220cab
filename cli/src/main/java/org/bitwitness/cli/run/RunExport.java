package org.bitwitness.cli.run;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness run export}: a reserved name. */
@Command(
        name = "export",
        description = "Write a recording for other tools.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run export demo-out/run --out run.tar")
final class RunExport extends ReservedCommand {
    RunExport() {
        super("copy the folder: every file of a recording is self-contained");
    }
}
