package org.bitwitness.kernels.ptx.emulator;

import java.util.Locale;
import java.util.Optional;

/** Registers that say where a thread is. Clocks and counters of the hardware are not among them. */
enum SpecialRegister {
    TID_X,
    TID_Y,
    TID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANEID,
    LANEMASK_EQ,
    LANEMASK_LT,
    LANEMASK_LE,
    LANEMASK_GT,
    LANEMASK_GE;

    static Optional<SpecialRegister> parse(String name) {
        String wanted = name.substring(1).replace('.', '_').toUpperCase(Locale.ROOT);
        for (SpecialRegister register : values()) {
            if (register.name().equals(wanted)) {
                return Optional.of(register);
            }
        }
        return Optional.empty();
    }

    int value(BlockRun b, int thread) {
        int lane = thread & 31;
        return switch (this) {
            case TID_X -> thread % b.shape.x();
            case TID_Y -> thread / b.shape.x() % b.shape.y();
            case TID_Z -> thread / b.shape.x() / b.shape.y();
            case NTID_X -> b.shape.x();
            case NTID_Y -> b.shape.y();
            case NTID_Z -> b.shape.z();
            case CTAID_X -> b.blockX;
            case CTAID_Y -> b.blockY;
            case CTAID_Z -> b.blockZ;
            case NCTAID_X -> b.grid.x();
            case NCTAID_Y -> b.grid.y();
            case NCTAID_Z -> b.grid.z();
            case LANEID -> lane;
            case LANEMASK_EQ -> 1 << lane;
            case LANEMASK_LT -> (1 << lane) - 1;
            case LANEMASK_LE -> (2 << lane) - 1;
            case LANEMASK_GT -> -(2 << lane);
            case LANEMASK_GE -> -(1 << lane);
        };
    }
}
