package org.bitwitness.kernels.ptx;

import java.util.List;
import java.util.Optional;

/** A line of a function's body. */
public sealed interface PtxStatement {
    /** Counted from 1. */
    int line();

    record Label(int line, String name) implements PtxStatement {}

    /** {@code @%p1} or {@code @!%p1} before an instruction. */
    record Guard(String register, boolean negated) {}

    /**
     * One instruction.
     *
     * @param opcode with all modifiers: {@code ld.global.v4.f32}
     */
    record Instruction(int line, Optional<Guard> guard, String opcode, List<PtxOperand> operands)
            implements PtxStatement {
        public Instruction {
            operands = List.copyOf(operands);
        }
    }
}
