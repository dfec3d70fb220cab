package org.bitwitness.kernels;

import java.util.Objects;
import java.util.Optional;
import org.bitwitness.protocol.tensor.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A named float32 tensor, row-major. A step program declares its tensors without storage (name and shape are enough to
 * rebuild a trace); {@link Backend#bind} or {@link Backend#allocate} gives them storage, on the host or on a device.
 *
 * <p>Not thread safe for binding; operators of one backend are called by one thread at a time.
 */
public final class Tensor {
    /** What a backend hangs on a tensor. Host backends share {@link HostStorage}; a device backend brings its own. */
    public interface Storage {}

    /** Storage in a Java array, exactly as long as the shape has elements. */
    public static final class HostStorage implements Storage {
        private final float[] data;

        public HostStorage(float[] data) {
            this.data = data;
        }

        public float[] data() {
            return data;
        }
    }

    private final String name;
    private final Shape shape;
    private final int size;
    private @Nullable Storage storage;

    private Tensor(String name, Shape shape) {
        this.name = Objects.requireNonNull(name);
        this.shape = Objects.requireNonNull(shape);
        long elements = shape.elementCount();
        if (elements > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "tensor %s %s has %d elements; one tensor of this version holds at most %d: split the batch"
                            .formatted(name, shape, elements, Integer.MAX_VALUE - 8));
        }
        this.size = (int) elements;
    }

    /** A tensor without storage. */
    public static Tensor declare(String name, Shape shape) {
        return new Tensor(name, shape);
    }

    /** A tensor that shares {@code data}. */
    public static Tensor of(String name, Shape shape, float[] data) {
        Tensor tensor = new Tensor(name, shape);
        tensor.attachHost(data);
        return tensor;
    }

    public String name() {
        return name;
    }

    public Shape shape() {
        return shape;
    }

    /** Number of elements. */
    public int size() {
        return size;
    }

    /** Elements of the last dimension. */
    public int columns() {
        return Math.toIntExact(shape.extent(shape.dimensions() - 1));
    }

    /** Elements divided by {@link #columns}. */
    public int rows() {
        return size / columns();
    }

    /** Shares a host array; replaces what was attached before. */
    public void attachHost(float[] data) {
        if (data.length != size) {
            throw new IllegalArgumentException(
                    "tensor %s %s needs %d elements, the array has %d".formatted(name, shape, size, data.length));
        }
        this.storage = new HostStorage(data);
    }

    /** Forgets the storage, which the garbage collector may have. */
    void detach() {
        this.storage = null;
    }

    /** For device backends. */
    public void attach(Storage storage) {
        this.storage = storage;
    }

    public Optional<Storage> storage() {
        return Optional.ofNullable(storage);
    }

    /**
     * The host array itself, not a copy.
     *
     * @throws IllegalStateException if the tensor has no storage, or storage elsewhere
     */
    public float[] data() {
        if (storage instanceof HostStorage host) {
            return host.data;
        }
        throw new IllegalStateException("tensor " + name + " " + shape + " has no host storage: bind it first");
    }

    /** True if the two share storage (or are the same undeclared tensor). */
    @SuppressWarnings("ReferenceEquality") // the question is whether it is the same array
    public boolean aliases(Tensor other) {
        if (this == other) {
            return true;
        }
        return storage instanceof HostStorage mine
                && other.storage instanceof HostStorage theirs
                && mine.data == theirs.data;
    }

    @Override
    public String toString() {
        return name + shape;
    }
}
