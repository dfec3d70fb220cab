package org.bitwitness.cli.support;

import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which backend computes, with how many threads. The bits depend on neither. */
public final class BackendOptions {
    @Option(
            names = "--backend",
            paramLabel = "B",
            defaultValue = "vector",
            description = "Who computes: vector, reference, cuda or ptx-emulator; never another in its place. Default:"
                    + " ${DEFAULT-VALUE}.")
    private String backend = "vector";

    @Option(names = "--threads", paramLabel = "N", description = "Threads; no bit depends on it. Default: all cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Mixin
    private GpuOptions gpu = new GpuOptions();

    /** The backend that was asked for, whether or not this machine has it; its device is chosen from here on. */
    public BackendId id() throws CommandFailure {
        BackendId id = CommandFailure.typed(() -> BackendId.parse(backend));
        gpu.choose(id);
        return id;
    }

    public int threads() throws CommandFailure {
        if (threads < 1) {
            throw CommandFailure.usage("--threads should be at least 1, is " + threads);
        }
        return threads;
    }

    /** The options that choose the same again. */
    public String words() {
        return "--backend " + backend + " --threads " + threads + gpu.words();
    }

    /** A new backend of that kind. */
    public Backend create() throws CommandFailure {
        try {
            return Backends.create(id(), threads());
        } catch (BackendAbsentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
