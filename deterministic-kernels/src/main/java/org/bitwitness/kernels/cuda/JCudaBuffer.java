package org.bitwitness.kernels.cuda;

import jcuda.driver.CUdeviceptr;
import org.bitwitness.kernels.gpu.GpuBuffer;

/** Memory of a card. */
final class JCudaBuffer implements GpuBuffer {
    private final JCudaDevice device;
    private final CUdeviceptr address;
    private final long bytes;
    private boolean closed;

    JCudaBuffer(JCudaDevice device, CUdeviceptr address, long bytes) {
        this.device = device;
        this.address = address;
        this.bytes = bytes;
    }

    boolean belongsTo(JCudaDevice other) {
        return device == other && !closed;
    }

    CUdeviceptr at(long offset) {
        return address.withByteOffset(offset);
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.free(address, bytes);
        }
    }
}
