package org.bitwitness.cli.log;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness log fsck}: a reserved name. */
@Command(
        name = "fsck",
        description = "Recompute every tile of a log.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log fsck demo-out/log")
final class LogFsck extends ReservedCommand {
    LogFsck() {
        super("it comes with the attestation module");
    }
}
