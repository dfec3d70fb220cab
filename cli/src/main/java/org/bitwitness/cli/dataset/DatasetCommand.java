package org.bitwitness.cli.dataset;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness dataset}. */
@Command(
        name = "dataset",
        subcommands = {DatasetBuild.class, DatasetVerify.class, DatasetShow.class},
        description = "Build, check and show datasets.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dataset build --out data texts/")
public final class DatasetCommand extends GroupCommand {}
