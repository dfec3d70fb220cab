package org.bitwitness.kernels.ptx.emulator;

/** A predicate as an operand: {@code %p1} or {@code !%p1}. */
record PredicateRef(int index, boolean negated) {
    int of(Warp warp) {
        return negated ? ~warp.p[index] : warp.p[index];
    }
}
