package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;

/**
 * Functions that {@code sweep_function} knows, in its order: the profile's six, and the bare root and reciprocal, whose
 * rounding is the hardware's.
 */
public enum GpuSweep {
    EXP(0, 0xd983bfe34defda09L),
    LOG(1, 0x356a9e0d2e611aa2L),
    TANH(2, 0x0eede455c7e89d9eL),
    SIGMOID(3, 0x4b2c9b6072ab6beeL),
    ERF(4, 0xb031eb7482df50f6L),
    RSQRT(5, 0x5fec14cc1c399e2dL),
    SQRT(6, 0xbf3ef4567eed79c8L),
    RECIPROCAL(7, 0xba701c5f4ef52f54L);

    private static final long INPUTS = 1L << 32;
    private static final int THREADS = 128;
    private static final int PER_BLOCK = 1 << 14;

    /** Blocks of one launch: a launch must not keep a display waiting for seconds. */
    private static final int MOST_BLOCKS = 1 << 13;

    private final int number;
    private final long everyInput;

    GpuSweep(int number, long everyInput) {
        this.number = number;
        this.everyInput = everyInput;
    }

    static GpuSweep of(ScalarFunction function) {
        return switch (function) {
            case EXP -> EXP;
            case LOG -> LOG;
            case TANH -> TANH;
            case SIGMOID -> SIGMOID;
            case ERF -> ERF;
            case RSQRT -> RSQRT;
        };
    }

    /** What the kernels call the function. */
    int number() {
        return number;
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The sum over all inputs: of exp and tanh as an independent implementation published it, of the others as
     * {@code functions.cuh} gives it on the host.
     */
    public long knownAnswer() {
        return everyInput;
    }

    long sum(DeviceMemory memory, Launcher launcher, long stride) {
        if (stride < 1 || stride > INPUTS) {
            throw new IllegalArgumentException("a stride is 1 to 2^32, got " + stride);
        }
        long inputs = Math.ceilDiv(INPUTS, stride);
        long[] total = {0};
        memory.run(o -> {
            GpuBuffer out = o.scratch(8L * MOST_BLOCKS);
            for (long done = 0; done < inputs; done += (long) MOST_BLOCKS * PER_BLOCK) {
                int blocks = (int) Math.min(MOST_BLOCKS, Math.ceilDiv(inputs - done, PER_BLOCK));
                launcher.grid(
                        "sweep_function",
                        Grid.of(blocks),
                        Block.of(THREADS),
                        arg(number),
                        KernelArg.of(done * stride),
                        KernelArg.of(stride),
                        arg(PER_BLOCK),
                        arg(out));
                long[] sums = new long[blocks];
                memory.device().copyOut(out, 0, MemorySegment.ofArray(sums));
                for (long sum : sums) {
                    total[0] += sum;
                }
            }
        });
        return total[0];
    }
}
