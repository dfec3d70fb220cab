package org.bitwitness.cli.dispute;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** {@code bitwitness dispute}: trainer and auditor narrow their disagreement down to one operator, which decides. */
@Command(
        name = "dispute",
        description = {
            "Narrow a disagreement over a gradient down to one operator, in signed messages,",
            "and let a referee execute that operator."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute open demo-out/run --unit \"GRADIENT(17,2)\" --key keys/me"
                + " --referee keys/referee/public.pem --out dispute-17-2",
        subcommands = {
            DisputeOpen.class,
            DisputeAnswer.class,
            DisputeReferee.class,
            DisputeServe.class,
            DisputeShow.class,
            DisputeVerify.class
        })
public final class DisputeCommand extends GroupCommand {}
