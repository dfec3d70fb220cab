package org.bitwitness.cli.support;

import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import picocli.CommandLine.Option;

/**
 * Which card computes, how much of its memory, and how watchful an emulator is: beside every {@code --backend}. No bit depends on
 * any of it.
 */
public final class GpuOptions {
    @Option(
            names = "--gpu-memory",
            paramLabel = "SIZE",
            description = "Most device memory of cuda or ptx-emulator: 512M, 8G; what does not fit is refused."
                    + " Default: nine tenths of what is free.")
    private Optional<String> memory = Optional.empty();

    @Option(names = "--device", paramLabel = "N", description = "Which card of cuda, counted from 0. Default: 0.")
    private Optional<Integer> device = Optional.empty();

    @Option(
            names = "--emulator-checks",
            description = "Let ptx-emulator also stop at races and at reads of what nobody wrote, with the PTX line."
                    + " On one thread, several times slower.")
    private boolean checks;

    /**
     * Tells the devices of this process and of its children. To be called before a backend is made.
     *
     * @param id the backend that was asked for
     * @throws CommandFailure where it has no such thing, exit 1
     */
    public void choose(BackendId id) throws CommandFailure {
        if (memory.isPresent()) {
            long bytes = bytes(memory.get());
            if (!id.onlyOnRequest()) {
                throw CommandFailure.usage("--gpu-memory limits a GPU, and backend " + id
                        + " has none: leave it out, or name --backend cuda or ptx-emulator");
            }
            System.setProperty(GpuSettings.MEMORY, Long.toString(bytes));
        }
        if (device.isPresent()) {
            if (device.get() < 0) {
                throw CommandFailure.usage("--device counts cards from 0, is " + device.get());
            }
            if (id != BackendId.CUDA) {
                throw CommandFailure.usage("--device chooses a card, and backend " + id
                        + " has none: leave it out, or name --backend cuda");
            }
            System.setProperty(GpuSettings.DEVICE, Integer.toString(device.get()));
        }
        if (checks) {
            if (id != BackendId.PTX_EMULATOR) {
                throw CommandFailure.usage("--emulator-checks are of an emulator, and backend " + id
                        + " has none: leave it out, or name --backend ptx-emulator");
            }
            System.setProperty(GpuSettings.CHECKS, "true");
        }
    }

    /** The options as they were given, each with a space before it. */
    String words() {
        return memory.map(size -> " --gpu-memory " + size).orElse("")
                + device.map(card -> " --device " + card).orElse("")
                + (checks ? " --emulator-checks" : "");
    }

    /** True if one of them was given. */
    public boolean given() {
        return memory.isPresent() || device.isPresent() || checks;
    }

    /** 8G is 8·2^30. */
    static long bytes(String text) throws CommandFailure {
        return Sizes.bytes("--gpu-memory", text);
    }
}
