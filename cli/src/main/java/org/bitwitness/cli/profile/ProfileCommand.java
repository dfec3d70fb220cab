package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.GroupCommand;
import picocli.CommandLine.Command;

/** The commands of {@code bitwitness profile}. */
@Command(
        name = "profile",
        subcommands = {ProfileInit.class, ProfileStep.class, ProfileHash.class, ProfileSweep.class},
        description = "Run parts of the numeric profile, for conformance.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile step step1.json state0.safetensors state1.safetensors")
public final class ProfileCommand extends GroupCommand {}
