package org.bitwitness.cli.witness;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness witness serve}: a reserved name. */
@Command(
        name = "serve",
        description = "Serve a witness.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness witness serve --dir witness-a --port 0")
final class WitnessServe extends ReservedCommand {
    WitnessServe() {
        super("it comes with the attestation module");
    }
}
