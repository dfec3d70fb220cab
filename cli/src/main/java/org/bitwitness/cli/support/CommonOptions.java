package org.bitwitness.cli.support;

import picocli.CommandLine.Option;

/** The options that every command has. */
public final class CommonOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    @Option(names = "--json", description = "Print one JSON document on standard output.")
    private boolean json;

    @Option(names = "--verbose", description = "Log more, and show stack traces of failures.")
    private boolean verbose;

    public boolean help() {
        return help;
    }

    public boolean json() {
        return json;
    }

    public boolean verbose() {
        return verbose;
    }
}
