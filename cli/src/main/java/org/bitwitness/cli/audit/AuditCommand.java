package org.bitwitness.cli.audit;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness audit}. */
@Command(
        name = "audit",
        subcommands = {AuditPlan.class, AuditWork.class, AuditReport.class, AuditCrossCheck.class, AuditPower.class},
        description = "Plan audits, work on them, report what they prove.",
        footerHeading = "%nExample:%n",
        footer =
                "  bitwitness audit work --run demo-out/run --log http://127.0.0.1:8090 --key my-key --trust demo-out/trust --out my-verdicts")
public final class AuditCommand extends GroupCommand {}
