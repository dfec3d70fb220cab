package org.bitwitness.kernels.gpu;

/** One parameter of a kernel, in the order of its {@code .param} list. */
public sealed interface KernelArg {
    /** Address of a buffer plus a byte offset: a pointer, 8 bytes. The offset may equal the length: an empty range. */
    record Buffer(GpuBuffer buffer, long byteOffset) implements KernelArg {
        public Buffer {
            if (byteOffset < 0 || byteOffset > buffer.bytes()) {
                throw new IllegalArgumentException(
                        "offset %d is outside a buffer of %d bytes".formatted(byteOffset, buffer.bytes()));
            }
        }
    }

    /** The null pointer, for an operand that a kernel does not read. */
    record NoBuffer() implements KernelArg {}

    record I32(int value) implements KernelArg {}

    record I64(long value) implements KernelArg {}

    record F32(float value) implements KernelArg {}

    record F64(double value) implements KernelArg {}

    static KernelArg of(GpuBuffer buffer) {
        return new Buffer(buffer, 0);
    }

    static KernelArg of(GpuBuffer buffer, long byteOffset) {
        return new Buffer(buffer, byteOffset);
    }

    static KernelArg none() {
        return new NoBuffer();
    }

    static KernelArg of(int value) {
        return new I32(value);
    }

    static KernelArg of(long value) {
        return new I64(value);
    }

    static KernelArg of(float value) {
        return new F32(value);
    }

    static KernelArg of(double value) {
        return new F64(value);
    }
}
