package org.bitwitness.replayer;

import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/** Roots of disputed pieces that are single values and have no root of their own: {@code H(disputed-value, name, bits)}. */
final class Disputed {
    private Disputed() {}

    static Sha256 value(String name, double value) {
        return CanonicalEncoder.of("disputed-value").text(name).f64(value).hash();
    }

    static Sha256 value(String name, float value) {
        return CanonicalEncoder.of("disputed-value").text(name).f32(value).hash();
    }

    static Sha256 value(String name, long value) {
        return CanonicalEncoder.of("disputed-value")
                .text(name)
                .text(Long.toString(value))
                .hash();
    }

    static Sha256 value(String name, String value) {
        return CanonicalEncoder.of("disputed-value").text(name).text(value).hash();
    }
}
