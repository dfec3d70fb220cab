package org.bitwitness.cli.log;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness log}. */
@Command(
        name = "log",
        subcommands = {LogShow.class, LogProve.class, LogFsck.class, LogExport.class, LogServe.class},
        description = "Serve, show, check and export the append-only log.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log show demo-out/log")
public final class LogCommand extends GroupCommand {}
