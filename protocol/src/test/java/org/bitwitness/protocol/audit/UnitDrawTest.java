package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;

class UnitDrawTest {
    private static final Sha256 BETA = Hashing.sha256("beta");
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    @Test
    void drawsWhatTheRuleSaysWithUnboundedIntegers() {
        for (long n : new long[] {1, 2, 3, 62, 64, 1000, 80_957, (1L << 62) + 1, Long.MAX_VALUE}) {
            assertEquals(byTheBook(n, 12), UnitDraw.draw(BETA, n, 12), "population " + n);
        }
    }

    @Test
    void acceptsNumbersUnderTheLargestMultipleOnly() {
        for (long n : new long[] {3, 62, 1000, Long.MAX_VALUE}) {
            BigInteger bound = TWO_64.divide(BigInteger.valueOf(n)).multiply(BigInteger.valueOf(n));
            assertTrue(UnitDraw.accepted(bound.subtract(BigInteger.ONE).longValue(), n));
            assertFalse(UnitDraw.accepted(bound.longValue(), n));
            assertFalse(UnitDraw.accepted(-1L, n) && !TWO_64.equals(bound));
        }
        assertTrue(UnitDraw.accepted(-1L, 64), "2^64 is a multiple of a power of two");
    }

    @Test
    void drawsEveryUnitOnceWhenAllAreAskedFor() {
        List<Long> all = UnitDraw.draw(BETA, 62, 100);
        assertEquals(62, all.size());
        assertEquals(62, Set.copyOf(all).size());
    }

    @Test
    void drawsSomethingElseForAnotherBeta() {
        assertNotEquals(UnitDraw.draw(BETA, 80_957, 4), UnitDraw.draw(Hashing.sha256("other"), 80_957, 4));
    }

    private static List<Long> byTheBook(long n, int count) {
        BigInteger size = BigInteger.valueOf(n);
        BigInteger bound = TWO_64.divide(size).multiply(size);
        List<Long> drawn = new ArrayList<>();
        for (long i = 0; drawn.size() < Math.min(count, n); i++) {
            byte[] digest = Hashing.sha256(
                            BETA.bytes(), ByteBuffer.allocate(8).putLong(i).array())
                    .bytes();
            BigInteger x = new BigInteger(1, java.util.Arrays.copyOf(digest, 8));
            long index = x.mod(size).longValueExact();
            if (x.compareTo(bound) < 0 && !drawn.contains(index)) {
                drawn.add(index);
            }
        }
        return drawn;
    }
}
