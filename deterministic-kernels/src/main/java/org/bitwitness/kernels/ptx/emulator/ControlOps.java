package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/** Branches, ends and barriers. */
final class ControlOps {
    private ControlOps() {}

    /** {@code bra}; the target is filled in when labels are known. */
    static final class Branch extends ControlOp {
        int target;

        Branch(int line) {
            super(line);
        }

        @Override
        int step(Warp w, int pc, int mask, int through) {
            if (through == mask) {
                return target;
            }
            if (through == 0) {
                return pc + 1;
            }
            w.setPc(through, target);
            w.setPc(mask & ~through, pc + 1);
            return PARTED;
        }
    }

    /** {@code ret} and {@code exit} of a kernel. */
    static final class Exit extends ControlOp {
        Exit(int line) {
            super(line);
        }

        @Override
        int step(Warp w, int pc, int mask, int through) {
            w.exit(through);
            w.setPc(mask & ~through, pc + 1);
            return through == 0 ? pc + 1 : PARTED;
        }
    }

    /** {@code trap}. */
    static final class Trap extends ControlOp {
        Trap(int line) {
            super(line);
        }

        @Override
        int step(Warp w, int pc, int mask, int through) {
            if (through == 0) {
                return pc + 1;
            }
            throw w.fault(this, Kind.TRAP, w.thread(Integer.numberOfTrailingZeros(through)) + " runs a trap");
        }
    }

    /** {@code bar.sync 0}. */
    static final class Barrier extends ControlOp {
        Barrier(int line) {
            super(line);
        }

        @Override
        int step(Warp w, int pc, int mask, int through) {
            w.arrive(through, pc);
            w.setPc(mask & ~through, pc + 1);
            return through == 0 ? pc + 1 : PARTED;
        }
    }

    /** Something that the lanes of a mask do together: they wait for each other first. */
    abstract static class Together extends ControlOp {
        /** Column of the member mask. */
        private final int members;

        Together(int line, int members) {
            super(line);
            this.members = members;
        }

        @Override
        final int step(Warp w, int pc, int mask, int through) {
            if (through == 0) {
                return pc + 1;
            }
            int wanted = w.r[members + Integer.numberOfTrailingZeros(through)];
            for (int rest = through; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                if (w.r[members + l] != wanted) {
                    throw w.fault(this, Kind.SHUFFLE_DIVERGENCE, "two lanes name different members");
                }
            }
            // Threads that the block does not have are in every full mask and count as absent.
            int expected = wanted == -1 ? w.existing : wanted;
            int all = w.gather(this, pc, through, expected);
            w.setPc(mask & ~through, pc + 1);
            if (all == 0) {
                return PARTED;
            }
            together(w, all);
            w.setPc(all, pc + 1);
            return all == mask ? pc + 1 : PARTED;
        }

        abstract void together(Warp w, int members);
    }

    /** {@code bar.warp.sync}. */
    static final class WarpBarrier extends Together {
        WarpBarrier(int line, int members) {
            super(line, members);
        }

        @Override
        void together(Warp w, int members) {
            w.order(members);
        }
    }
}
