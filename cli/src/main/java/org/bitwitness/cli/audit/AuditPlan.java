package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness audit plan}: a reserved name. */
@Command(
        name = "plan",
        description = "Show which units a challenge draws.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit plan --run demo-out/run")
final class AuditPlan extends ReservedCommand {
    AuditPlan() {
        super("audit work draws and shows its own units");
    }
}
