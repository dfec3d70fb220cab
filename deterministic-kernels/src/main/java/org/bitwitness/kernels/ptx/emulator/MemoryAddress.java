package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/**
 * The address operand of a load or store.
 *
 * @param base a column, or -1 for none
 * @param wide whether the base is a 64-bit column
 */
record MemoryAddress(Space space, int base, boolean wide, long offset) {
    /** State spaces, as the emulator keeps them apart. */
    enum Space {
        /** Global, constant and generic addresses. */
        ADDRESSED,
        SHARED,
        PARAM
    }

    long of(Warp w, int lane) {
        return base < 0 ? offset : offset + (wide ? w.q[base + lane] : w.r[base + lane] & 0xFFFF_FFFFL);
    }

    /** The memory that holds an address, after checks of range and alignment. */
    Segment segment(Warp w, Op op, int lane, int bytes) {
        long address = of(w, lane);
        Segment segment = switch (space) {
            case SHARED -> w.block.shared;
            case PARAM -> w.block.params;
            case ADDRESSED -> w.block.segment(address);
        };
        long at = within(address);
        if (at < 0 || at + bytes > segment.bytes) {
            throw w.fault(
                    op,
                    Kind.OUT_OF_BOUNDS,
                    "%s touches %d bytes at %s of %s, which has %d"
                            .formatted(
                                    w.thread(lane),
                                    bytes,
                                    at < 0 || at > 1L << 35 ? "address 0x" + Long.toHexString(address) : "offset " + at,
                                    segment.name(),
                                    segment.bytes));
        }
        if ((at & (bytes - 1)) != 0) {
            throw w.fault(
                    op,
                    Kind.MISALIGNED,
                    "%s touches %d bytes at offset %d of %s, not a multiple"
                            .formatted(w.thread(lane), bytes, at, segment.name()));
        }
        return segment;
    }

    /** The offset of an address in its segment. */
    long within(long address) {
        if (space != Space.ADDRESSED) {
            return address;
        }
        return address >>> 33 == 1 ? address - DeviceMemory.SHARED_WINDOW : DeviceMemory.offset(address);
    }
}
