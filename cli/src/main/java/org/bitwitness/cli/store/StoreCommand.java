package org.bitwitness.cli.store;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness store}. */
@Command(
        name = "store",
        subcommands = {
            StoreAdd.class,
            StoreList.class,
            StoreGet.class,
            StoreRemove.class,
            StoreGc.class,
            StoreCheck.class
        },
        description = "Keep many recordings in one place, every file once.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store add demo-out/run --store runs")
public final class StoreCommand extends GroupCommand {}
