package org.bitwitness.kernels.gpu;

import java.util.List;

/**
 * One launch.
 *
 * @param kernel name of an {@code .entry} of a loaded module; names are unique over all modules of a device
 * @param sharedBytes dynamic shared memory per block, besides what the kernel declares
 */
public record KernelLaunch(String kernel, Grid grid, Block block, int sharedBytes, List<KernelArg> args) {
    /** What a block may have of shared memory without being asked for specially, on every card. */
    public static final int MOST_SHARED_BYTES = 48 * 1024;

    public KernelLaunch {
        if (kernel.isEmpty()) {
            throw new IllegalArgumentException("a launch names its kernel");
        }
        if (sharedBytes < 0 || sharedBytes > MOST_SHARED_BYTES) {
            throw new IllegalArgumentException("need 0 to %d bytes of dynamic shared memory for %s, got %d"
                    .formatted(MOST_SHARED_BYTES, kernel, sharedBytes));
        }
        args = List.copyOf(args);
    }

    public KernelLaunch(String kernel, Grid grid, Block block, List<KernelArg> args) {
        this(kernel, grid, block, 0, args);
    }
}
