package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness audit work}: a reserved name. */
@Command(
        name = "work",
        description = "Draw units, replay them, sign and log the verdicts.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit work --log demo-out/log --run demo-out/run --keys my-keys")
final class AuditWork extends ReservedCommand {
    AuditWork() {
        super("replay single units with replay");
    }
}
