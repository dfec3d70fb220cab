package org.bitwitness.cli.drill;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness drill}. */
@Command(
        name = "drill",
        subcommands = {
            DrillPlan.class,
            DrillCommit.class,
            DrillTrain.class,
            DrillOpen.class,
            DrillVerify.class,
            DrillScoring.class
        },
        description = "Plant faults that only a replay shows, and see which auditors name them.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill plan --config run.json --faults 3 --out plan.json")
public final class DrillCommand extends GroupCommand {}
