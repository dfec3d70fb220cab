package org.bitwitness.protocol.audit;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Probability that k units drawn without replacement from N would have hit at least one of b bad ones:
 * {@code 1 − C(N−b, k)/C(N, k)}, computed with 40 digits.
 */
public final class DetectionPower {
    private static final MathContext DIGITS = new MathContext(40);

    private DetectionPower() {}

    /** The probability, from 0 to 1. */
    public static double hit(long population, long bad, long audited) {
        require(population, bad, audited);
        if (bad == 0 || audited == 0) {
            return 0;
        }
        if (audited > population - bad) {
            return 1;
        }
        // C(N−b, k)/C(N, k) is the same with b and k exchanged; the shorter product is taken.
        long terms = Math.min(bad, audited);
        long other = Math.max(bad, audited);
        BigDecimal miss = BigDecimal.ONE;
        for (long i = 0; i < terms; i++) {
            miss = miss.multiply(
                    BigDecimal.valueOf(population - other - i).divide(BigDecimal.valueOf(population - i), DIGITS),
                    DIGITS);
        }
        return BigDecimal.ONE.subtract(miss, DIGITS).doubleValue();
    }

    /** Smallest number of audits whose probability of a hit is at least {@code probability}. */
    public static long auditsFor(long population, long bad, double probability) {
        require(population, bad, 0);
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("a probability is from 0 to 1, got " + probability);
        }
        if (bad == 0) {
            throw new IllegalArgumentException("no number of audits hits a bad unit when there is none");
        }
        long low = 0;
        long high = population;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (hit(population, bad, middle) >= probability) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private static void require(long population, long bad, long audited) {
        if (population < 0 || bad < 0 || bad > population || audited < 0 || audited > population) {
            throw new IllegalArgumentException(
                    "need 0 <= bad, audited <= population, got %d, %d of %d".formatted(bad, audited, population));
        }
    }
}
