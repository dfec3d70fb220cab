package org.bitwitness.kernels.gpu;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A device that writes down which kernels were launched on another. */
final class RecordingDevice implements GpuDevice {
    private final GpuDevice device;
    private final Set<String> launched;

    /** @param launched gets the names */
    RecordingDevice(GpuDevice device, Set<String> launched) {
        this.device = device;
        this.launched = launched;
    }

    @Override
    public String describe() {
        return device.describe();
    }

    @Override
    public long memoryLimit() {
        return device.memoryLimit();
    }

    @Override
    public long memoryInUse() {
        return device.memoryInUse();
    }

    @Override
    public GpuBuffer allocate(long bytes) {
        return device.allocate(bytes);
    }

    @Override
    public void copyIn(MemorySegment from, GpuBuffer to, long toOffset) {
        device.copyIn(from, to, toOffset);
    }

    @Override
    public void copyOut(GpuBuffer from, long fromOffset, MemorySegment to) {
        device.copyOut(from, fromOffset, to);
    }

    @Override
    public void copy(GpuBuffer from, long fromOffset, GpuBuffer to, long toOffset, long bytes) {
        device.copy(from, fromOffset, to, toOffset, bytes);
    }

    @Override
    public void zero(GpuBuffer buffer, long offset, long bytes) {
        device.zero(buffer, offset, bytes);
    }

    @Override
    public void load(PtxModule module) {
        device.load(module);
    }

    @Override
    public void launch(KernelLaunch launch) {
        device.launch(launch);
        launched.add(launch.kernel());
    }

    @Override
    public void synchronize() {
        device.synchronize();
    }

    @Override
    public void close() {
        device.close();
    }
}
