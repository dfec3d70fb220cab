package org.bitwitness.kernels.gpu.backend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;

/**
 * Device memory that is used again. Allocation waits for a device to be idle, so what an operator gives back is kept for the
 * next one; only when the device has no more room are the unused buffers given up.
 */
final class BufferPool {
    private final GpuDevice device;
    private final Map<Long, Deque<GpuBuffer>> unused = new HashMap<>();

    BufferPool(GpuDevice device) {
        this.device = device;
    }

    /**
     * A buffer of exactly {@code bytes}, with undefined content: a kernel that leaves its operand leaves the buffer, too, and
     * a device that checks can see it. A step asks for the same sizes again and again.
     *
     * @throws GpuException with {@link GpuFailure.OutOfMemory} if it does not fit even after the unused ones are freed
     */
    GpuBuffer take(long bytes) {
        Deque<GpuBuffer> fitting = unused.get(bytes);
        if (fitting != null && !fitting.isEmpty()) {
            return fitting.pop();
        }
        try {
            return device.allocate(bytes);
        } catch (GpuException e) {
            if (!(e.failure() instanceof GpuFailure.OutOfMemory) || unused.isEmpty()) {
                throw e;
            }
            freeUnused();
            return device.allocate(bytes);
        }
    }

    void giveBack(GpuBuffer buffer) {
        unused.computeIfAbsent(buffer.bytes(), _ -> new ArrayDeque<>()).push(buffer);
    }

    private void freeUnused() {
        List<GpuBuffer> all = new ArrayList<>();
        unused.values().forEach(all::addAll);
        unused.clear();
        all.forEach(GpuBuffer::close);
    }
}
