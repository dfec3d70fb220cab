package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness audit}. */
@Command(
        name = "audit",
        subcommands = {AuditPlan.class, AuditWork.class, AuditReport.class, AuditCrossCheck.class, AuditPower.class},
        description = "Plan audits, work on them, report what they prove.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit work --log demo-out/log --run demo-out/run --keys my-keys")
public final class AuditCommand extends GroupCommand {}
