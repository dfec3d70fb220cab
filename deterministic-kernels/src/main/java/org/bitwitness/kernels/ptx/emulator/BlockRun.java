package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.Grid;

/** One block at a time of a launch: its warps, its shared memory, its barrier. */
final class BlockRun {
    final Grid grid;
    final Block shape;
    final boolean checked;
    final ThreadOrder order;
    final long instructionLimit;
    final Segment shared;
    final Segment params;

    /** Position in the grid, x fastest. */
    long number;

    int blockX;
    int blockY;
    int blockZ;
    /** Block barriers passed. */
    int epoch;
    /** Instructions of single threads, over all blocks. */
    long executed;

    private final Kernel kernel;
    private final DeviceMemory memory;
    private final long launch;
    private final Warp[] warps;

    BlockRun(Launch launch) {
        this.kernel = launch.kernel();
        this.memory = launch.memory();
        this.launch = launch.number();
        this.grid = launch.grid();
        this.shape = launch.block();
        this.params = launch.params();
        this.checked = launch.options().checked();
        this.order = launch.options().order();
        this.instructionLimit = launch.options().instructionLimit();
        this.shared = new Segment("shared memory", launch.sharedBytes(), true, checked);
        this.warps = new Warp[(shape.threads() + Warp.LANES - 1) / Warp.LANES];
        for (int i = 0; i < warps.length; i++) {
            warps[i] = new Warp(kernel, this, i * Warp.LANES);
        }
    }

    /** What all blocks of a launch have in common. */
    record Launch(
            Kernel kernel,
            DeviceMemory memory,
            long number,
            Grid grid,
            Block block,
            Segment params,
            int sharedBytes,
            EmulatorOptions options) {}

    void run(long blockNumber) {
        number = blockNumber;
        blockX = (int) (blockNumber % grid.x());
        blockY = (int) (blockNumber / grid.x() % grid.y());
        blockZ = (int) (blockNumber / grid.x() / grid.y());
        epoch = 0;
        shared.startBlock();
        for (Warp warp : warps) {
            warp.start(shape.threads() - warp.firstThread);
        }
        do {
            for (int i : order.sequence(warps.length)) {
                warps[i].run();
            }
        } while (passBarrier());
    }

    /** Whether all threads wait at one barrier, and now go on behind it; false when all have ended. */
    private boolean passBarrier() {
        int pc = -1;
        int ended = 0;
        Warp waits = warps[0];
        for (Warp warp : warps) {
            ended += Integer.bitCount(warp.exited());
            for (int rest = warp.atBarrier(); rest != 0; rest &= rest - 1) {
                int at = warp.pc(Integer.numberOfTrailingZeros(rest));
                if (pc >= 0 && at != pc) {
                    throw fault(
                            kernel.code()[at],
                            GpuFailure.KernelFault.Kind.BARRIER_DIVERGENCE,
                            "some threads of block %d wait here, others at line %d"
                                    .formatted(number, kernel.code()[pc].line));
                }
                pc = at;
                waits = warp;
            }
        }
        if (pc < 0) {
            return false;
        }
        if (ended != 0) {
            throw fault(
                    kernel.code()[pc],
                    GpuFailure.KernelFault.Kind.BARRIER_DIVERGENCE,
                    "%s waits here, %d threads of the block have ended"
                            .formatted(waits.thread(Integer.numberOfTrailingZeros(waits.atBarrier())), ended));
        }
        epoch++;
        for (Warp warp : warps) {
            warp.release(pc + 1);
        }
        return true;
    }

    Segment segment(long address) {
        if (address >>> 33 == 1) {
            return shared;
        }
        return memory.at(address);
    }

    /** The checker's notes on a segment, of this launch or of this block. */
    Shadow notes(Segment segment) {
        return segment == shared
                ? segment.shadow(number, kernel.unitBytes())
                : segment.shadow(launch, kernel.unitBytes());
    }

    String thread(int index) {
        return "thread %d of block (%d, %d, %d)".formatted(index, blockX, blockY, blockZ);
    }

    GpuException fault(Op op, GpuFailure.KernelFault.Kind kind, String detail) {
        return new GpuException(new GpuFailure.KernelFault(kernel.name(), kind, op.line, detail));
    }
}
