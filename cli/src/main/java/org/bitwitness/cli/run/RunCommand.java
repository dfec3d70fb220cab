package org.bitwitness.cli.run;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness run}. */
@Command(
        name = "run",
        subcommands = {RunVerify.class, RunShow.class, RunExport.class, RunFetch.class},
        description = "Verify, show, export and fetch recordings.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run verify demo-out/run")
public final class RunCommand extends GroupCommand {}
