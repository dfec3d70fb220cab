package org.bitwitness.kernels.gpu.backend;

import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.KernelArg;

/** Kernel parameters by one short name, so that a launch reads like a call. */
final class Args {
    private Args() {}

    static KernelArg arg(GpuBuffer buffer) {
        return KernelArg.of(buffer);
    }

    static KernelArg arg(GpuBuffer buffer, long byteOffset) {
        return KernelArg.of(buffer, byteOffset);
    }

    static KernelArg arg(int value) {
        return KernelArg.of(value);
    }

    static KernelArg arg(float value) {
        return KernelArg.of(value);
    }

    static KernelArg arg(double value) {
        return KernelArg.of(value);
    }
}
