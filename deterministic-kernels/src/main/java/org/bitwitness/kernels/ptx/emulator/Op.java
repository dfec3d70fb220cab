package org.bitwitness.kernels.ptx.emulator;

/** One decoded instruction. */
abstract class Op {
    /** In the PTX text, counted from 1. */
    final int line;

    /** Index of the guarding predicate, or -1. */
    private int guard = -1;

    private boolean guardNegated;

    Op(int line) {
        this.line = line;
    }

    final void guard(int predicate, boolean negated) {
        guard = predicate;
        guardNegated = negated;
    }

    final boolean guarded() {
        return guard >= 0;
    }

    /** The lanes of {@code mask} that the guard lets through. */
    final int through(Warp warp, int mask) {
        if (guard < 0) {
            return mask;
        }
        int p = warp.p[guard];
        return mask & (guardNegated ? ~p : p);
    }

    /** Does it for the lanes of {@code mask}, which is not 0. */
    abstract void run(Warp warp, int mask);
}
