package org.bitwitness.cli.key;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness key}. */
@Command(
        name = "key",
        subcommands = {KeyNew.class, KeyShow.class, KeyEnrol.class, KeyRotate.class, KeyRevoke.class},
        description = "Make, show, enrol and retire signing keys.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key new --out keys/auditor-1")
public final class KeyCommand extends GroupCommand {}
