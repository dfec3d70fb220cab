package org.bitwitness.kernels.ptx.emulator;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A piece of device memory as 32-bit words, with the notes of the checks when they are on. */
final class Segment {
    final int[] words;
    final long bytes;
    private final String name;
    private final Shadow.Access access;
    private final boolean block;
    private Shadow shadow = Shadow.NONE;
    /** One bit per byte that was ever written; empty when checks are off or the memory starts as zeros. */
    private final long[] written;

    private long shadowLaunch = -1;

    /**
     * @param block whether it is the shared memory of a block: its notes start anew with every block, and what the
     *     block has not written is not defined
     */
    Segment(String name, long bytes, boolean block, boolean tracksWrites) {
        this.name = name;
        this.bytes = bytes;
        this.block = block;
        this.words = new int[Math.toIntExact((bytes + 3) / 4)];
        this.access = new Shadow.Access(name);
        this.written = tracksWrites && !block ? new long[Math.toIntExact((bytes + 63) / 64)] : new long[0];
    }

    String name() {
        return name;
    }

    void copyIn(MemorySegment from, long offset) {
        MemorySegment.copy(from, 0, MemorySegment.ofArray(words), offset, from.byteSize());
        markWritten(offset, from.byteSize());
    }

    void copyOut(long offset, MemorySegment to) {
        MemorySegment.copy(MemorySegment.ofArray(words), offset, to, 0, to.byteSize());
    }

    void copyFrom(Segment from, long fromOffset, long offset, long count) {
        MemorySegment.copy(MemorySegment.ofArray(from.words), fromOffset, MemorySegment.ofArray(words), offset, count);
        markWritten(offset, count);
    }

    void zero(long offset, long count) {
        MemorySegment.ofArray(words).asSlice(offset, count).fill((byte) 0);
        markWritten(offset, count);
    }

    /** Fills memory that nobody has defined with words that look wrong. */
    void scramble() {
        Arrays.fill(words, 0xBAD0_BAD0);
    }

    /** Shared memory of another block: nothing of the last one may be seen, and undefined words look the same everywhere. */
    void startBlock() {
        scramble();
        shadowLaunch = -1;
    }

    /** New notes for a launch, or for a block of it. */
    Shadow shadow(long launch, int unitBytes) {
        if (shadowLaunch != launch) {
            shadowLaunch = launch;
            if (shadow.hasUnit(unitBytes)) {
                shadow.clear();
            } else {
                shadow = new Shadow(bytes, unitBytes);
            }
        }
        return shadow;
    }

    Shadow.Access access(long offset, int count) {
        return access.at(offset, count);
    }

    /** Whether all bytes of an aligned access of at most 16 bytes have been written. */
    boolean isDefined(long offset, int count, Shadow notes) {
        if (block) {
            return notes.isWritten(offset, count);
        }
        if (written.length == 0) {
            return true;
        }
        long mask = ((1L << count) - 1) << (offset & 63);
        return (written[(int) (offset >>> 6)] & mask) == mask;
    }

    /** {@link #markWritten} for an access, which never crosses a multiple of 64 bytes since it is aligned. */
    void markAccess(long offset, int count) {
        if (written.length != 0) {
            written[(int) (offset >>> 6)] |= ((1L << count) - 1) << (offset & 63);
        }
    }

    void markWritten(long offset, long count) {
        if (written.length == 0 || count == 0) {
            return;
        }
        long end = offset + count;
        for (long i = offset; i < end; ) {
            int word = (int) (i >>> 6);
            if ((i & 63) == 0 && end - i >= 64) {
                written[word] = -1;
                i += 64;
            } else {
                int bits = (int) Math.min(64 - (i & 63), end - i);
                written[word] |= (bits == 64 ? -1L : (1L << bits) - 1) << (i & 63);
                i += bits;
            }
        }
    }
}
