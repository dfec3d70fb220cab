package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.GpuBuffer;

/** A segment that somebody allocated. */
final class EmulatedBuffer implements GpuBuffer {
    final Segment segment;
    final long address;
    private final EmulatedDevice device;
    private boolean closed;

    EmulatedBuffer(EmulatedDevice device, Segment segment, long address) {
        this.device = device;
        this.segment = segment;
        this.address = address;
    }

    boolean belongsTo(EmulatedDevice other) {
        return device == other && !closed;
    }

    @Override
    public long bytes() {
        return segment.bytes;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.free(this);
        }
    }
}
