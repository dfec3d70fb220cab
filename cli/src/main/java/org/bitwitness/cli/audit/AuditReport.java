package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness audit report}: a reserved name. */
@Command(
        name = "report",
        description = "Show verdicts, coverage and detection power of a run.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit report --log demo-out/log --run demo-out/run")
final class AuditReport extends ReservedCommand {
    AuditReport() {
        super("read the verdicts folder of the demo");
    }
}
