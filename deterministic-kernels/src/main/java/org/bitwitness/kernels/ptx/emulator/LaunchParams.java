package org.bitwitness.kernels.ptx.emulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;

/** Lays out the arguments of a launch as the kernel declares its parameters; a size that differs refuses the launch. */
final class LaunchParams {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private LaunchParams() {}

    static Segment of(EmulatedDevice device, Kernel kernel, KernelLaunch launch) {
        if (launch.args().size() != kernel.params().size()) {
            throw EmulatedDevice.refused(
                    launch,
                    "it has %d parameters, got %d"
                            .formatted(kernel.params().size(), launch.args().size()));
        }
        long bytes = 0;
        for (Kernel.Param param : kernel.params()) {
            bytes = Math.max(bytes, param.offset() + param.variable().bytes());
        }
        Segment params = new Segment("the parameters", bytes, false, false);
        MemorySegment memory = MemorySegment.ofArray(params.words);
        for (int i = 0; i < launch.args().size(); i++) {
            KernelArg arg = launch.args().get(i);
            Kernel.Param param = kernel.params().get(i);
            long size = switch (arg) {
                case KernelArg.Buffer _, KernelArg.NoBuffer _, KernelArg.I64 _, KernelArg.F64 _ -> 8;
                case KernelArg.I32 _, KernelArg.F32 _ -> 4;
            };
            if (size != param.variable().bytes()) {
                throw EmulatedDevice.refused(
                        launch,
                        "parameter %d has %d bytes, got %d for %s"
                                .formatted(i, param.variable().bytes(), size, arg));
            }
            switch (arg) {
                case KernelArg.Buffer(var buffer, long offset) -> {
                    if (!(buffer instanceof EmulatedBuffer mine) || !mine.belongsTo(device)) {
                        throw new IllegalArgumentException("argument " + i + " is closed or belongs to another device");
                    }
                    memory.set(LONG, param.offset(), mine.address + offset);
                }
                case KernelArg.NoBuffer() -> memory.set(LONG, param.offset(), 0);
                case KernelArg.I32(int value) -> memory.set(INT, param.offset(), value);
                case KernelArg.F32(float value) -> memory.set(INT, param.offset(), Float.floatToRawIntBits(value));
                case KernelArg.I64(long value) -> memory.set(LONG, param.offset(), value);
                case KernelArg.F64(double value) -> memory.set(LONG, param.offset(), Double.doubleToRawLongBits(value));
            }
        }
        return params;
    }
}
