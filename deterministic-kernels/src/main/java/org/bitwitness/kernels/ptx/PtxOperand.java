package org.bitwitness.kernels.ptx;

import java.util.List;

/** What an instruction reads or writes, as it is spelt. */
public sealed interface PtxOperand {
    /** A register, {@code %f1}, or a special one, {@code %tid.x}. */
    record Register(String name) implements PtxOperand {}

    /** {@code !%p1}. */
    record NotRegister(String name) implements PtxOperand {}

    /** {@code -3}, {@code 0x7f}. */
    record Int(long value) implements PtxOperand {}

    /** {@code 0f3F800000}. */
    record Float32(int bits) implements PtxOperand {}

    /** {@code 0d3FF0000000000000}. */
    record Float64(long bits) implements PtxOperand {}

    /** A variable, label or function by name. */
    record Symbol(String name) implements PtxOperand {}

    /** {@code [base + offset]}; the base is a register or a symbol. */
    record Address(PtxOperand base, long offset) implements PtxOperand {}

    /** {@code {a, b, c, d}}. */
    record Vector(List<PtxOperand> parts) implements PtxOperand {
        public Vector {
            parts = List.copyOf(parts);
        }
    }

    /** {@code %r1|%p1}: a result and a predicate. */
    record Pair(PtxOperand first, PtxOperand second) implements PtxOperand {}

    /** {@code (a, b)} of a call. */
    record Group(List<PtxOperand> parts) implements PtxOperand {
        public Group {
            parts = List.copyOf(parts);
        }
    }

    /** {@code _}: a result nobody wants. */
    record Sink() implements PtxOperand {}
}
