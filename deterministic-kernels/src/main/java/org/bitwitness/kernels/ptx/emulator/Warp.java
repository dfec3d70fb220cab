package org.bitwitness.kernels.ptx.emulator;

import java.util.Arrays;
import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/**
 * 32 lanes that run together as long as their program counters are equal. Lanes apart run by the smallest counter first,
 * so that those ahead wait where the paths meet again.
 */
final class Warp {
    static final int LANES = 32;
    private static final int ALL_TOGETHER = Integer.MAX_VALUE;

    /** 32-bit registers, register {@code i} at {@code 32 i}; 16-bit ones have their upper half 0. */
    final int[] r;

    final long[] q;
    /** Predicates, one bit per lane. */
    final int[] p;

    /** Lanes that the block has threads for. */
    int existing;

    final int[] savedInts = new int[LANES];
    final long[] savedLongs = new long[LANES];
    final BlockRun block;
    final int firstThread;
    /** What the race checker writes beside an address; the lane is added to it. */
    long stamp;

    private final Kernel kernel;
    private final int[] pcs = new int[LANES];
    private int live;
    private int exited;
    private int atBarrier;
    private int waiting;
    private long budget;
    private int warpEpoch;

    Warp(Kernel kernel, BlockRun block, int firstThread) {
        this.kernel = kernel;
        this.block = block;
        this.firstThread = firstThread;
        this.r = new int[kernel.ints() * LANES];
        this.q = new long[kernel.longs() * LANES];
        this.p = new int[Math.max(1, kernel.predicates())];
    }

    /** Makes it the warp of a new block: registers are 0, constants and special registers have their values. */
    void start(int threads) {
        existing = threads >= LANES ? -1 : (1 << threads) - 1;
        live = existing;
        exited = 0;
        atBarrier = 0;
        waiting = 0;
        warpEpoch = 0;
        budget = block.instructionLimit;
        Arrays.fill(pcs, 0);
        Arrays.fill(p, 0);
        kernel.fill(this);
        restamp();
    }

    /** Runs until every lane waits at a barrier or has ended. */
    void run() {
        int ready;
        while ((ready = live & ~atBarrier & ~waiting) != 0) {
            int pc = ALL_TOGETHER;
            int mask = 0;
            int next = ALL_TOGETHER;
            for (int rest = ready; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                int at = pcs[l];
                if (at < pc) {
                    next = pc;
                    pc = at;
                    mask = 1 << l;
                } else if (at == pc) {
                    mask |= 1 << l;
                } else if (at < next) {
                    next = at;
                }
            }
            if (block.order.splitsWarps()) {
                mask = block.order.first(ready);
                pc = pcs[Integer.numberOfTrailingZeros(mask)];
                next = ALL_TOGETHER;
            }
            together(pc, mask, next);
        }
        if (waiting != 0) {
            int l = Integer.numberOfTrailingZeros(waiting);
            throw fault(
                    kernel.code()[pcs[l]],
                    Kind.SHUFFLE_DIVERGENCE,
                    "lanes %08x wait for others of their mask, which wait elsewhere or have ended".formatted(waiting));
        }
    }

    /** Runs lanes of one counter until they stop, part, or reach the counter {@code next} of others. */
    private void together(int from, int mask, int next) {
        Op[] code = kernel.code();
        int pc = from;
        int lanes = Integer.bitCount(mask);
        long counted = 0;
        while (pc < next) {
            Op op = code[pc];
            int through = op.through(this, mask);
            counted += op.guarded() ? Integer.bitCount(through) : lanes;
            if (!(op instanceof ControlOp control)) {
                if (through != 0) {
                    op.run(this, through);
                }
                pc++;
                continue;
            }
            int to = control.step(this, pc, mask, through);
            if (to == ControlOp.PARTED) {
                count(counted, op);
                return;
            }
            if (to <= pc) {
                count(counted, op);
                counted = 0;
            }
            pc = to;
        }
        setPc(mask, pc);
        count(counted, code[pc]);
    }

    private void count(long executed, Op op) {
        block.executed += executed;
        budget -= executed;
        if (budget < 0) {
            throw fault(
                    op,
                    Kind.ENDLESS,
                    "more than %d instructions in one warp of one block: a loop does not end"
                            .formatted(block.instructionLimit));
        }
    }

    void setPc(int mask, int pc) {
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            pcs[Integer.numberOfTrailingZeros(rest)] = pc;
        }
    }

    void exit(int mask) {
        live &= ~mask;
        exited |= mask;
    }

    void arrive(int mask, int pc) {
        setPc(mask, pc);
        atBarrier |= mask;
    }

    /**
     * Lanes come to an operation of their warp.
     *
     * @return all lanes of {@code members}, once they are all there; 0 while some are missing
     */
    int gather(Op op, int pc, int mask, int members) {
        if ((members & mask) != mask || (members & ~existing) != 0) {
            throw fault(
                    op,
                    Kind.SHUFFLE_DIVERGENCE,
                    "lanes %08x come with mask %08x, the warp has %08x".formatted(mask, members, existing));
        }
        int there = mask;
        for (int rest = waiting & members; rest != 0; rest &= rest - 1) {
            int l = Integer.numberOfTrailingZeros(rest);
            if (pcs[l] == pc) {
                there |= 1 << l;
            }
        }
        if (there == members) {
            waiting &= ~members;
            return members;
        }
        setPc(mask, pc);
        waiting |= mask;
        return 0;
    }

    /** Everything that lanes did before is done for all of the warp; only a barrier of the whole warp orders memory. */
    void order(int members) {
        if (members == existing) {
            warpEpoch++;
            restamp();
        }
    }

    void nextEpoch() {
        warpEpoch = 0;
        restamp();
    }

    private void restamp() {
        stamp = block.checked ? Stamp.of(block, warpEpoch, firstThread) : 0;
    }

    int exited() {
        return exited;
    }

    int atBarrier() {
        return atBarrier;
    }

    int pc(int lane) {
        return pcs[lane];
    }

    /** Lets the lanes that wait at the barrier go on behind it. */
    void release(int pc) {
        setPc(atBarrier, pc);
        atBarrier = 0;
        nextEpoch();
    }

    RuntimeException fault(Op op, Kind kind, String detail) {
        return block.fault(op, kind, detail);
    }

    /** For messages: which thread of which block. */
    String thread(int lane) {
        return block.thread(firstThread + lane);
    }
}
