package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness audit power}: a reserved name. */
@Command(
        name = "power",
        description = "Compute how likely audits of this size hit b bad steps.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit power --steps 60 --audited 12 --bad 1")
final class AuditPower extends ReservedCommand {
    AuditPower() {
        super("it comes with the audit-scheduler module");
    }
}
