package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness audit cross-check}: a reserved name. */
@Command(
        name = "cross-check",
        description = "Compare what several auditors computed.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit cross-check --log demo-out/log --run demo-out/run")
final class AuditCrossCheck extends ReservedCommand {
    AuditCrossCheck() {
        super("compare the computed roots of two replay --json outputs");
    }
}
