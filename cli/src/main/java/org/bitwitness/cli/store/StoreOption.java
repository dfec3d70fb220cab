package org.bitwitness.cli.store;

import picocli.CommandLine.Option;

/** Which store; the same words in every command. */
final class StoreOption {
    @Option(
            names = "--store",
            required = true,
            paramLabel = "STORE",
            description = "Folder of the store, or the URL of one in a file system that Hadoop knows.")
    private String place;

    String place() {
        return place;
    }
}
