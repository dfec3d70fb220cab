package org.bitwitness.kernels.gpu;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The kernels compiled for the host, in a process of their own that is driven like a GPU. */
public final class HostShimDevice implements GpuDevice {
    /** In which order the threads of a block run between barriers, and the blocks of a grid. */
    public enum Order {
        ASCENDING(0),
        DESCENDING(1),
        RANDOM(2);

        private final int code;

        Order(int code) {
            this.code = code;
        }
    }

    private static final long LIMIT_BYTES = 1L << 30;

    private final Process process;
    private final OutputStream to;
    private final DataInputStream from;
    private long inUse;

    public HostShimDevice(Path program, Order order, long seed) {
        try {
            this.process = new ProcessBuilder(program.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.to = new BufferedOutputStream(process.getOutputStream(), 1 << 16);
        this.from = new DataInputStream(process.getInputStream());
        command("order", request(16).putInt(8).putInt(order.code).putLong(seed), MemorySegment.NULL);
    }

    private final class Memory implements GpuBuffer {
        private final long address;
        private final long bytes;

        Memory(long address, long bytes) {
            this.address = address;
            this.bytes = bytes;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void close() {
            inUse -= bytes;
            command("free", request(12).putInt(2).putLong(address), MemorySegment.NULL);
        }
    }

    @Override
    public String describe() {
        return "kernels compiled by g++ for the host";
    }

    @Override
    public long memoryLimit() {
        return LIMIT_BYTES;
    }

    @Override
    public long memoryInUse() {
        return inUse;
    }

    @Override
    public GpuBuffer allocate(long bytes) {
        if (inUse + bytes > LIMIT_BYTES) {
            throw new GpuException(new GpuFailure.OutOfMemory(bytes, inUse, LIMIT_BYTES));
        }
        command("allocate", request(12).putInt(1).putLong(bytes), MemorySegment.NULL);
        inUse += bytes;
        return new Memory(
                ByteBuffer.wrap(read(8)).order(ByteOrder.LITTLE_ENDIAN).getLong(), bytes);
    }

    @Override
    public void copyIn(MemorySegment source, GpuBuffer target, long offset) {
        long address = at(target, offset, source.byteSize());
        command("copyIn", request(20).putInt(3).putLong(address).putLong(source.byteSize()), source);
    }

    @Override
    public void copyOut(GpuBuffer source, long offset, MemorySegment target) {
        long address = at(source, offset, target.byteSize());
        command("copyOut", request(20).putInt(4).putLong(address).putLong(target.byteSize()), MemorySegment.NULL);
        target.copyFrom(MemorySegment.ofArray(read(Math.toIntExact(target.byteSize()))));
    }

    @Override
    public void copy(GpuBuffer source, long sourceOffset, GpuBuffer target, long targetOffset, long bytes) {
        long a = at(source, sourceOffset, bytes);
        long b = at(target, targetOffset, bytes);
        command("copy", request(28).putInt(5).putLong(a).putLong(b).putLong(bytes), MemorySegment.NULL);
    }

    @Override
    public void zero(GpuBuffer buffer, long offset, long bytes) {
        long address = at(buffer, offset, bytes);
        command("zero", request(20).putInt(6).putLong(address).putLong(bytes), MemorySegment.NULL);
    }

    @Override
    public void load(PtxModule module) {
        // The program has every kernel.
    }

    @Override
    public void launch(KernelLaunch launch) {
        byte[] name = launch.kernel().getBytes(StandardCharsets.US_ASCII);
        ByteBuffer request = request(36 + name.length + 8 * launch.args().size())
                .putInt(7)
                .putInt(name.length)
                .put(name);
        Grid grid = launch.grid();
        Block block = launch.block();
        request.putInt(grid.x()).putInt(grid.y()).putInt(grid.z());
        request.putInt(block.x()).putInt(block.y()).putInt(block.z());
        request.putInt(launch.args().size());
        launch.args().forEach(arg -> request.putLong(raw(arg)));
        command(launch.kernel(), request, MemorySegment.NULL);
    }

    private static long raw(KernelArg arg) {
        return switch (arg) {
            case KernelArg.Buffer b -> ((Memory) b.buffer()).address + b.byteOffset();
            case KernelArg.NoBuffer _ -> 0;
            case KernelArg.I32 i -> i.value();
            case KernelArg.I64 i -> i.value();
            case KernelArg.F32 f -> Integer.toUnsignedLong(Float.floatToRawIntBits(f.value()));
            case KernelArg.F64 f -> Double.doubleToRawLongBits(f.value());
        };
    }

    @Override
    public void synchronize() {
        // Every command is answered before the next.
    }

    @Override
    public void close() {
        process.destroy();
    }

    private static long at(GpuBuffer buffer, long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset + bytes > buffer.bytes()) {
            throw new IllegalArgumentException(
                    "%d bytes at %d are outside a buffer of %d".formatted(bytes, offset, buffer.bytes()));
        }
        return ((Memory) buffer).address + offset;
    }

    private static ByteBuffer request(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void command(String what, ByteBuffer request, MemorySegment data) {
        try {
            to.write(MemorySegment.ofBuffer(request.flip()).toArray(ValueLayout.JAVA_BYTE));
            to.write(data.toArray(ValueLayout.JAVA_BYTE));
            to.flush();
            String error = new String(read(Integer.reverseBytes(from.readInt())), StandardCharsets.UTF_8);
            if (!error.isEmpty()) {
                throw new GpuException(new GpuFailure.LaunchFailed(what, error));
            }
        } catch (IOException e) {
            throw new GpuException(
                    new GpuFailure.DeviceLost("the host shim stopped at " + what + ", perhaps outside a buffer"), e);
        }
    }

    private byte[] read(int bytes) {
        try {
            return from.readNBytes(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
