package org.bitwitness.protocol.audit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Draws distinct numbers from 0 to N − 1, each equally likely: x is the first 8 bytes of SHA-256(beta ‖ u64be i) for
 * i = 0, 1, …; x counts when it is under N·⌊2^64/N⌋ and stands for x mod N; a number that was drawn before is skipped.
 */
public final class UnitDraw {
    private UnitDraw() {}

    /**
     * The first {@code count} numbers, or all N when there are fewer.
     *
     * @param beta output of the auditor's verifiable random function
     */
    public static List<Long> draw(Sha256 beta, long populationSize, int count) {
        if (populationSize < 0 || count < 0) {
            throw new IllegalArgumentException(
                    "need a population and a count from 0, got %d and %d".formatted(populationSize, count));
        }
        long wanted = Math.min(count, populationSize);
        Set<Long> drawn = new LinkedHashSet<>();
        for (long i = 0; drawn.size() < wanted; i++) {
            long x = word(beta, i);
            if (accepted(x, populationSize)) {
                drawn.add(Long.remainderUnsigned(x, populationSize));
            }
        }
        return new ArrayList<>(drawn);
    }

    /** True for x under the largest multiple of N that fits 2^64. */
    static boolean accepted(long x, long populationSize) {
        // 2^64 mod N, without 2^64.
        long excess = Long.remainderUnsigned(Long.remainderUnsigned(-1L, populationSize) + 1, populationSize);
        return excess == 0 || Long.compareUnsigned(x, -excess) < 0;
    }

    private static long word(Sha256 beta, long i) {
        byte[] counter = ByteBuffer.allocate(Long.BYTES).putLong(i).array();
        return Hashing.sha256(beta.bytes(), counter).word0();
    }
}
