package org.bitwitness.kernels.gpu;

/** A range of device memory; closing it gives the memory back. Belongs to the device that allocated it. */
public interface GpuBuffer extends AutoCloseable {
    /** Bytes asked for. */
    long bytes();

    @Override
    void close();
}
