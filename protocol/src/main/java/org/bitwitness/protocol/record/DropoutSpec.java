package org.bitwitness.protocol.record;

/**
 * Dropout constants of the three places that have dropout.
 *
 * @param embd after the embedding sum
 * @param attn on attention probabilities
 * @param resid on both branches before the residual sum
 */
public record DropoutSpec(Rate embd, Rate attn, Rate resid) {
    /** The same rate everywhere. */
    public static DropoutSpec uniform(double rate) {
        Rate everywhere = Rate.of(rate);
        return new DropoutSpec(everywhere, everywhere, everywhere);
    }

    /**
     * A rate with the two constants that follow from it.
     *
     * @param threshold an element stays when its random word, unsigned, is smaller
     * @param drop factor of an element that stays
     */
    public record Rate(double rate, long threshold, float drop) {
        private static final long MAX_THRESHOLD = 0xFFFF_FFFFL;

        public Rate {
            if (!(rate >= 0 && rate < 1)) {
                throw new IllegalArgumentException("a dropout rate is from 0 to under 1, got " + rate);
            }
            long expectedThreshold = thresholdOf(rate);
            float expectedDrop = (float) (1.0 / (1.0 - rate));
            if (threshold != expectedThreshold
                    || Float.floatToRawIntBits(drop) != Float.floatToRawIntBits(expectedDrop)) {
                throw new IllegalArgumentException("dropout rate %s needs threshold %d and drop %08x, got %d and %08x"
                        .formatted(
                                rate,
                                expectedThreshold,
                                Float.floatToRawIntBits(expectedDrop),
                                threshold,
                                Float.floatToRawIntBits(drop)));
            }
        }

        public static Rate of(double rate) {
            return new Rate(rate, thresholdOf(rate), (float) (1.0 / (1.0 - rate)));
        }

        private static long thresholdOf(double rate) {
            double keep = 1.0 - rate;
            return Math.min((long) Math.floor(keep * 0x1p32 + 0.5), MAX_THRESHOLD);
        }
    }
}
