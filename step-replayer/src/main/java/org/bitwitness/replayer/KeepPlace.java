package org.bitwitness.replayer;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Where one replay keeps how far it is.
 *
 * @param file one for each unit; written whole or not at all
 * @param secret that only the auditor has
 * @param tool version of the program: work of another one is not used
 * @param every writes at most this often, and not for more than a twentieth of the time; zero: after every step
 */
public record KeepPlace(Path file, KeepSecret secret, String tool, Duration every) {
    /** Short beside what a killed replay loses, long beside what a write costs. */
    public static final Duration USUALLY = Duration.ofSeconds(20);

    public KeepPlace {
        if (every.isNegative()) {
            throw new IllegalArgumentException("a time between two writes cannot be negative, got " + every);
        }
    }
}
