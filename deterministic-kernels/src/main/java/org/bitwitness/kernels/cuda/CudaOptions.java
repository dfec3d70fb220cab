package org.bitwitness.kernels.cuda;

import java.util.OptionalLong;

/**
 * Which card, and how much of it.
 *
 * @param device ordinal of the driver, from 0; {@code CUDA_VISIBLE_DEVICES} renumbers
 * @param memoryLimitBytes for all buffers together; empty takes nine tenths of what is free when the device is opened
 */
public record CudaOptions(int device, OptionalLong memoryLimitBytes) {
    public CudaOptions {
        if (device < 0 || memoryLimitBytes.orElse(1) < 1) {
            throw new IllegalArgumentException("a device is counted from 0 and a limit is positive, got device "
                    + device + ", limit " + memoryLimitBytes);
        }
    }
}
