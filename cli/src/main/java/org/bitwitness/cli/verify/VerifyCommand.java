package org.bitwitness.cli.verify;

import org.bitwitness.cli.support.ReservedCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness verify}: a reserved name. */
@Command(
        name = "verify",
        description = "Say what is proven about a model file or an attestation.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness verify model.safetensors")
public final class VerifyCommand extends ReservedCommand {
    public VerifyCommand() {
        super("it comes with the attestation module");
    }
}
