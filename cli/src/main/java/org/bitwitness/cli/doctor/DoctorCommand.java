package org.bitwitness.cli.doctor;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness doctor}: a reserved name. */
@Command(
        name = "doctor",
        description = "Check that this machine can replay: JDK, options, backends, self-test.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness doctor")
public final class DoctorCommand extends ReservedCommand {
    public DoctorCommand() {
        super("run ./bitwitness test");
    }
}
