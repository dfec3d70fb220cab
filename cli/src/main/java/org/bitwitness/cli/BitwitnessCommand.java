package org.bitwitness.cli;

import org.bitwitness.cli.support.GroupCommand;
import org.bitwitness.cli.support.VersionProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The root of all commands; {@link Subcommands} lists them. */
@Command(
        name = "bitwitness",
        description = "Lets anyone check the story of a model's weights.",
        versionProvider = VersionProvider.class,
        footerHeading = "%nExample:%n",
        footer = {
            "  bitwitness demo",
            "",
            "Exit codes: 0 all verified, 1 usage or environment, 2 verification says no, 3 no result."
        })
public final class BitwitnessCommand extends GroupCommand {
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    private boolean version;

    /** Whether the version was asked for; picocli prints it. */
    public boolean versionAsked() {
        return version;
    }
}
