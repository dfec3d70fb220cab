package org.bitwitness.kernels.ptx.emulator;

import java.util.Arrays;
import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/**
 * The race checker's notes about one memory: per unit of 4 bytes, or of 1 where a kernel uses narrower accesses, the last writer
 * and the readers since the last order.
 */
final class Shadow {
    /** Of a memory that has not been looked at. */
    static final Shadow NONE = new Shadow(0, 0);

    private final int unitBytes;
    private final int shift;
    private final long[] writers;
    private final long[] readers;

    Shadow(long bytes, int unitBytes) {
        this.unitBytes = unitBytes;
        shift = unitBytes == 4 ? 2 : 0;
        int units = Math.toIntExact((bytes >> shift) + 1);
        writers = new long[units];
        readers = new long[units];
    }

    boolean hasUnit(int bytes) {
        return unitBytes == bytes;
    }

    void clear() {
        Arrays.fill(writers, 0);
        Arrays.fill(readers, 0);
    }

    boolean isWritten(long offset, int bytes) {
        int end = (int) ((offset + bytes - 1) >> shift);
        for (int u = (int) (offset >> shift); u <= end; u++) {
            if (writers[u] == 0) {
                return false;
            }
        }
        return true;
    }

    void read(Warp w, Op op, int lane, Access access) {
        long stamp = Stamp.lane(w.stamp, lane);
        int end = (int) ((access.offset + access.bytes - 1) >> shift);
        for (int u = (int) (access.offset >> shift); u <= end; u++) {
            long writer = writers[u];
            if (writer != 0 && !Stamp.ordered(writer, stamp)) {
                throw race(w, op, lane, access, "reads", "wrote", writer);
            }
            long reader = readers[u];
            if (!Stamp.covers(reader, stamp)) {
                readers[u] = reader == 0 || Stamp.ordered(reader, stamp) ? stamp : Stamp.join(reader, stamp);
            }
        }
    }

    void write(Warp w, Op op, int lane, Access access) {
        long stamp = Stamp.lane(w.stamp, lane);
        int end = (int) ((access.offset + access.bytes - 1) >> shift);
        for (int u = (int) (access.offset >> shift); u <= end; u++) {
            if (writers[u] != 0 && !Stamp.ordered(writers[u], stamp)) {
                throw race(w, op, lane, access, "writes", "wrote", writers[u]);
            }
            if (readers[u] != 0 && !Stamp.ordered(readers[u], stamp)) {
                throw race(w, op, lane, access, "writes", "read", readers[u]);
            }
            writers[u] = stamp;
        }
    }

    private static RuntimeException race(Warp w, Op op, int lane, Access access, String does, String did, long other) {
        return w.fault(
                op,
                Kind.RACE,
                "%s %s %d bytes at offset %d of %s, which thread %d of block %d %s with no barrier between"
                        .formatted(
                                w.thread(lane),
                                does,
                                access.bytes,
                                access.offset,
                                access.memory,
                                Stamp.thread(other),
                                Stamp.block(other),
                                did));
    }

    /** Where an access goes; one object per memory, reused. */
    static final class Access {
        private final String memory;
        private long offset;
        private int bytes;

        Access(String memory) {
            this.memory = memory;
        }

        Access at(long newOffset, int newBytes) {
            offset = newOffset;
            bytes = newBytes;
            return this;
        }
    }
}
