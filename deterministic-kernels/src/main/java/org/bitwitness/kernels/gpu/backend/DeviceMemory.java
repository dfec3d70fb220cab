package org.bitwitness.kernels.gpu.backend;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.jspecify.annotations.Nullable;

/**
 * Where tensors are. A bound or allocated tensor stays on the device; the array of a bound one is copied when an operator first
 * reads it, and not at all if an operator overwrites it. A tensor with host storage is copied in and out around each operator.
 */
final class DeviceMemory {
    /** What hangs on a tensor of this backend. */
    private final class DeviceStorage implements Tensor.Storage {
        private final GpuBuffer buffer;
        private Optional<float[]> notYetCopied = Optional.empty();

        DeviceStorage(GpuBuffer buffer) {
            this.buffer = buffer;
        }

        private DeviceMemory owner() {
            return DeviceMemory.this;
        }
    }

    private final GpuDevice device;
    private final BufferPool pool;

    DeviceMemory(GpuDevice device) {
        this.device = device;
        this.pool = new BufferPool(device);
    }

    GpuDevice device() {
        return device;
    }

    void allocate(Tensor tensor) {
        DeviceStorage storage = attach(tensor);
        storage.notYetCopied = Optional.empty();
        device.zero(storage.buffer, 0, bytes(tensor));
    }

    void bind(Tensor tensor, float[] host) {
        if (host.length != tensor.size()) {
            throw new IllegalArgumentException(
                    "tensor %s needs %d elements, the array has %d".formatted(tensor, tensor.size(), host.length));
        }
        attach(tensor).notYetCopied = Optional.of(host);
    }

    float[] fetch(Tensor tensor) {
        DeviceStorage storage = storageOf(tensor);
        if (storage == null) {
            return tensor.data();
        }
        if (storage.notYetCopied.isPresent()) {
            return storage.notYetCopied.get();
        }
        float[] out = new float[tensor.size()];
        device.copyOut(storage.buffer, 0, out, 0, out.length);
        return out;
    }

    void release(Tensor tensor) {
        DeviceStorage storage = storageOf(tensor);
        if (storage != null) {
            pool.giveBack(storage.buffer);
            tensor.attach(Released.INSTANCE);
        }
    }

    /** Storage of a tensor that was released: using it is a mistake, and says so. */
    private enum Released implements Tensor.Storage {
        INSTANCE
    }

    /** Runs an operator over buffers: copies host tensors in before they are read and out after the launches. */
    void run(Consumer<Operands> operator) {
        Operands operands = new Operands();
        try {
            operator.accept(operands);
            operands.copyBack();
        } finally {
            operands.temporary.forEach(pool::giveBack);
        }
    }

    private DeviceStorage attach(Tensor tensor) {
        DeviceStorage storage = storageOf(tensor);
        if (storage == null) {
            storage = new DeviceStorage(pool.take(bytes(tensor)));
            tensor.attach(storage);
        }
        return storage;
    }

    private @Nullable DeviceStorage storageOf(Tensor tensor) {
        return tensor.storage().orElse(null) instanceof DeviceStorage mine && mine.owner() == this ? mine : null;
    }

    private static long bytes(Tensor tensor) {
        return 4L * tensor.size();
    }

    /** The buffers of one operator. */
    final class Operands {
        private final IdentityHashMap<float[], GpuBuffer> ofHostArrays = new IdentityHashMap<>();
        private final IdentityHashMap<float[], GpuBuffer> toCopyBack = new IdentityHashMap<>();
        private final List<GpuBuffer> temporary = new ArrayList<>();

        /** A tensor that is only read. */
        GpuBuffer read(Tensor tensor) {
            DeviceStorage storage = storageOf(tensor);
            if (storage != null) {
                storage.notYetCopied.ifPresent(host -> device.copyIn(host, 0, host.length, storage.buffer, 0));
                storage.notYetCopied = Optional.empty();
                return storage.buffer;
            }
            float[] host = tensor.data();
            GpuBuffer known = ofHostArrays.get(host);
            if (known == null) {
                known = scratch(bytes(tensor));
                device.copyIn(host, 0, host.length, known, 0);
                ofHostArrays.put(host, known);
            }
            return known;
        }

        /** A tensor of which every element is overwritten before any is read, unless it is also {@link #read}. */
        GpuBuffer write(Tensor tensor) {
            DeviceStorage storage = storageOf(tensor);
            if (storage != null) {
                storage.notYetCopied = Optional.empty();
                return storage.buffer;
            }
            float[] host = tensor.data();
            GpuBuffer buffer = ofHostArrays.get(host);
            if (buffer == null) {
                buffer = scratch(bytes(tensor));
                ofHostArrays.put(host, buffer);
            }
            toCopyBack.put(host, buffer);
            return buffer;
        }

        /** A tensor that is changed in place. */
        GpuBuffer update(Tensor tensor) {
            read(tensor);
            return write(tensor);
        }

        /** Memory for the time of the operator, with undefined content. */
        GpuBuffer scratch(long bytes) {
            GpuBuffer buffer = pool.take(bytes);
            temporary.add(buffer);
            return buffer;
        }

        private void copyBack() {
            toCopyBack.forEach((host, buffer) -> device.copyOut(buffer, 0, host, 0, host.length));
        }
    }
}
