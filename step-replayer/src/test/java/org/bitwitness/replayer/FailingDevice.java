package org.bitwitness.replayer;

import java.lang.foreign.MemorySegment;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.bitwitness.kernels.gpu.PtxModule;

/** A sound device that fails at one call, as a card's driver would: with a typed failure. */
public final class FailingDevice implements GpuDevice {
    /** Where a device can fail. */
    public enum Call {
        ALLOCATE,
        COPY_IN,
        LOAD,
        LAUNCH,
        COPY_OUT,
        NEVER
    }

    private final GpuDevice sound;
    private final Call where;
    private final GpuFailure failure;
    private int before;

    /** @param before calls of that kind that succeed */
    public FailingDevice(GpuDevice sound, Call where, int before, GpuFailure failure) {
        this.sound = sound;
        this.where = where;
        this.before = before;
        this.failure = failure;
    }

    private void at(Call call) {
        if (call == where && before-- <= 0) {
            throw new GpuException(failure);
        }
    }

    @Override
    public String describe() {
        return sound.describe() + ", failing at " + where;
    }

    @Override
    public long memoryLimit() {
        return sound.memoryLimit();
    }

    @Override
    public long memoryInUse() {
        return sound.memoryInUse();
    }

    @Override
    public GpuBuffer allocate(long bytes) {
        at(Call.ALLOCATE);
        return sound.allocate(bytes);
    }

    @Override
    public void copyIn(MemorySegment from, GpuBuffer to, long toOffset) {
        at(Call.COPY_IN);
        sound.copyIn(from, to, toOffset);
    }

    @Override
    public void copyOut(GpuBuffer from, long fromOffset, MemorySegment to) {
        at(Call.COPY_OUT);
        sound.copyOut(from, fromOffset, to);
    }

    @Override
    public void copy(GpuBuffer from, long fromOffset, GpuBuffer to, long toOffset, long bytes) {
        sound.copy(from, fromOffset, to, toOffset, bytes);
    }

    @Override
    public void zero(GpuBuffer buffer, long offset, long bytes) {
        sound.zero(buffer, offset, bytes);
    }

    @Override
    public void load(PtxModule module) {
        at(Call.LOAD);
        sound.load(module);
    }

    @Override
    public void launch(KernelLaunch launch) {
        at(Call.LAUNCH);
        sound.launch(launch);
    }

    @Override
    public void synchronize() {
        sound.synchronize();
    }

    @Override
    public void close() {
        sound.close();
    }
}
