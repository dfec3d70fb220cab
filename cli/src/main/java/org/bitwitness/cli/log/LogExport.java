package org.bitwitness.cli.log;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness log export}: a reserved name. */
@Command(
        name = "export",
        description = "Copy a log with its payloads.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log export demo-out/log --out copy")
final class LogExport extends ReservedCommand {
    LogExport() {
        super("copy the folder: a tile log is plain files");
    }
}
