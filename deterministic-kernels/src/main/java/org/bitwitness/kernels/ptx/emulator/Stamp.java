package org.bitwitness.kernels.ptx.emulator;

/**
 * Who touched an address, and when: block, the number of block barriers passed, the number of warp barriers since, the thread,
 * and whether others read it in the same span. One {@code long}, never 0.
 *
 * <p>63…42 block + 1 · 41…22 barriers · 21…12 warp barriers · 11…2 thread · 1…0 how many readers.
 */
final class Stamp {
    /** One thread. */
    static final int ONE = 0;
    /** Several of one warp. */
    static final int WARP = 1;
    /** Several of one block. */
    static final int BLOCK = 2;
    /** Several blocks. */
    static final int GRID = 3;

    static final long MOST_BLOCKS = (1L << 22) - 2;
    static final int MOST_BARRIERS = (1 << 20) - 1;
    private static final int MOST_WARP_BARRIERS = (1 << 10) - 1;

    private Stamp() {}

    static long of(BlockRun block, int warpEpoch, int firstThread) {
        if (warpEpoch > MOST_WARP_BARRIERS || block.epoch > MOST_BARRIERS) {
            throw new IllegalStateException(
                    "too many barriers for the race checker: run this kernel with checks switched off");
        }
        return (block.number + 1) << 42 | (long) block.epoch << 22 | (long) warpEpoch << 12 | (long) firstThread << 2;
    }

    static long lane(long warpStamp, int lane) {
        return warpStamp + ((long) lane << 2);
    }

    static int thread(long stamp) {
        return (int) (stamp >>> 2) & 1023;
    }

    static long block(long stamp) {
        return (stamp >>> 42) - 1;
    }

    static int readers(long stamp) {
        return (int) stamp & 3;
    }

    /** Whether what {@code older} stands for is surely done before {@code newer}, a single thread, does something. */
    static boolean ordered(long older, long newer) {
        int many = readers(older);
        if (many == GRID || older >>> 42 != newer >>> 42) {
            return false;
        }
        if (older >>> 22 != newer >>> 22 || (many == ONE && thread(older) == thread(newer))) {
            return true;
        }
        boolean sameWarp = many != BLOCK && thread(older) >>> 5 == thread(newer) >>> 5;
        return sameWarp && older >>> 12 != newer >>> 12;
    }

    /** Whether noting {@code newer} beside the readers {@code older} would change nothing. */
    static boolean covers(long older, long newer) {
        int many = readers(older);
        return switch (many) {
            case ONE -> older == newer;
            case WARP -> (older ^ newer) >>> 12 == 0 && thread(older) >>> 5 == thread(newer) >>> 5;
            case BLOCK -> (older ^ newer) >>> 22 == 0;
            default -> true;
        };
    }

    /** Both readers as one stamp, when the older is not ordered before the newer. */
    static long join(long older, long newer) {
        int many = older >>> 42 != newer >>> 42 ? GRID : thread(older) >>> 5 != thread(newer) >>> 5 ? BLOCK : WARP;
        return (newer & ~3L) | Math.max(many, readers(older));
    }
}
