package org.bitwitness.kernels.ptx.emulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The addresses of an emulated device. Every segment has a range of 2^36 bytes of its own, so that running off its end never
 * lands in another; ranges are used again only after 65,536 others, so that a freed buffer is noticed.
 */
final class DeviceMemory {
    private static final int RANGE_BITS = 36;
    private static final long WITHIN = (1L << RANGE_BITS) - 1;
    private static final int REUSE_AFTER = 1 << 16;
    /** Where shared memory is for generic addresses: below all ranges. */
    static final long SHARED_WINDOW = 1L << 33;

    private static final Segment NOTHING = new Segment("no buffer", 0, false, false);

    private final List<Segment> segments = new ArrayList<>();
    private final Deque<Integer> freed = new ArrayDeque<>();

    DeviceMemory() {
        segments.add(NOTHING); // address 0 is nobody's
    }

    static long offset(long address) {
        return address & WITHIN;
    }

    /** Adds a segment and says its address. */
    long add(Segment segment) {
        if (freed.size() > REUSE_AFTER) {
            int range = freed.remove();
            segments.set(range, segment);
            return (long) range << RANGE_BITS;
        }
        segments.add(segment);
        return (long) (segments.size() - 1) << RANGE_BITS;
    }

    void remove(long address) {
        int range = (int) (address >>> RANGE_BITS);
        segments.set(range, NOTHING);
        freed.add(range);
    }

    /** The segment of an address, or one without bytes. */
    Segment at(long address) {
        long range = address >>> RANGE_BITS;
        return range < segments.size() ? segments.get((int) range) : NOTHING;
    }
}
