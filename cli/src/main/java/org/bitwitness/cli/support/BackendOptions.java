package org.bitwitness.cli.profile;

import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import picocli.CommandLine.Option;

/** Which backend computes, with how many threads. The bits depend on neither. */
final class BackendOptions {
    @Option(
            names = "--backend",
            paramLabel = "B",
            defaultValue = "vector",
            description = "reference or vector; never another in its place. Default: ${DEFAULT-VALUE}")
    private String backend = "vector";

    @Option(names = "--threads", paramLabel = "N", description = "Threads; default: the machine's processors.")
    private int threads = Runtime.getRuntime().availableProcessors();

    String name() {
        return backend;
    }

    Backend create() throws CommandFailure {
        try {
            return Backends.create(BackendId.parse(backend), threads);
        } catch (BackendAbsentException | IllegalArgumentException e) {
            String message = e.getMessage();
            throw CommandFailure.usage(message == null ? e.toString() : message);
        }
    }
}
