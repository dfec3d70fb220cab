package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness profile sweep}: a reserved name. */
@Command(
        name = "sweep",
        description = "Compare backends over awkward sizes.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile sweep --backend vector")
final class ProfileSweep extends ReservedCommand {
    ProfileSweep() {
        super("run the tests with ./bitwitness test");
    }
}
