package org.bitwitness.kernels;

import java.util.Optional;

/** Compares float arrays by their bits; every NaN counts as 7fc00000. */
final class Bits {
    private Bits() {}

    static Optional<String> firstDifference(float[] expected, float[] computed) {
        if (expected.length != computed.length) {
            return Optional.of("expected %d elements, computed %d".formatted(expected.length, computed.length));
        }
        for (int i = 0; i < expected.length; i++) {
            int want = Float.floatToIntBits(expected[i]);
            int got = Float.floatToIntBits(computed[i]);
            if (want != got) {
                return Optional.of("element %d: expected %08x (%s), computed %08x (%s)"
                        .formatted(i, want, expected[i], got, computed[i]));
            }
        }
        return Optional.empty();
    }
}
