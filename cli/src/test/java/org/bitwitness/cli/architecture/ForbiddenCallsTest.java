package org.bitwitness.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.thetaphi.forbiddenapis.Checker;
import de.thetaphi.forbiddenapis.ForbiddenApiException;
import de.thetaphi.forbiddenapis.Logger;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The lists of forbidden calls that the build reads, each kind seen to refuse a class that breaks it. */
class ForbiddenCallsTest {
    private static final Path LISTS = Path.of(System.getProperty("bitwitness.home", ".."), ".mvn", "forbidden");

    /** One class for each kind of forbidden call; the word is part of the complaint. */
    record Planted(String word, String list, Class<?> type) {
        @Override
        public String toString() {
            return type.getSimpleName();
        }
    }

    static final class Unseeded {
        int next() {
            return new Random().nextInt();
        }
    }

    static final class UnseededShuffle {
        void shuffle(List<String> words) {
            Collections.shuffle(words);
        }
    }

    static final class Deserializer {
        Object read(InputStream in) throws Exception {
            try (java.io.ObjectInputStream objects = new java.io.ObjectInputStream(in)) {
                return objects.readObject();
            }
        }
    }

    static final class DefaultLocale {
        @SuppressWarnings("StringCaseLocaleUsage")
        String lower(String word) {
            return word.toLowerCase();
        }
    }

    static final class DefaultCharset {
        @SuppressWarnings("DefaultCharset")
        byte[] bytes(String word) {
            return word.getBytes();
        }
    }

    static final class ParallelSum {
        double sum(List<Double> values) {
            return values.parallelStream().mapToDouble(Double::doubleValue).sum();
        }
    }

    static final class WallClock {
        Instant now() {
            return Instant.now();
        }
    }

    static final class LibraryMath {
        double of(double x) {
            return Math.exp(x) + Math.pow(x, 3.5);
        }
    }

    /** Does the same things in the allowed way. */
    static final class Allowed {
        double of(List<String> words, long seed, String word) {
            Collections.shuffle(words, new Random(seed));
            return StrictMath.exp(word.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8).length) + Math.sqrt(2);
        }
    }

    static Stream<Planted> planted() {
        return Stream.of(
                new Planted("generator with a seed", "everywhere", Unseeded.class),
                new Planted("generator with a seed", "everywhere", UnseededShuffle.class),
                new Planted("Never deserialize", "everywhere", Deserializer.class),
                new Planted("Name the locale", "everywhere", DefaultLocale.class),
                new Planted("Name the charset", "everywhere", DefaultCharset.class),
                new Planted("fixed order", "everywhere", ParallelSum.class),
                new Planted("InstantSource", "no-clock", WallClock.class),
                new Planted("InstantSource", "no-clock-no-libm", WallClock.class),
                new Planted("numeric profile", "no-clock-no-libm", LibraryMath.class));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void refuses(Planted planted) throws Exception {
        List<String> complaints = complaints(planted.list(), planted.type());
        assertTrue(
                complaints.stream().anyMatch(complaint -> complaint.contains(planted.word())), complaints.toString());
    }

    @Test
    void theAllowedWayPasses() throws Exception {
        for (String list : List.of("everywhere", "no-clock", "no-clock-no-libm", "nothing-more")) {
            assertEquals(List.of(), complaints(list, Allowed.class));
        }
    }

    private static List<String> complaints(String list, Class<?> type) throws Exception {
        List<String> complaints = new ArrayList<>();
        ClassLoader loader = ForbiddenCallsTest.class.getClassLoader();
        Checker checker = new Checker(
                new ErrorsOnly(complaints),
                loader,
                Checker.Option.FAIL_ON_VIOLATION,
                Checker.Option.FAIL_ON_UNRESOLVABLE_SIGNATURES);
        checker.parseSignaturesFile(LISTS.resolve(list + ".txt").toFile());
        String resource = type.getName().replace('.', '/') + ".class";
        try (InputStream in = Objects.requireNonNull(loader.getResourceAsStream(resource), resource)) {
            checker.streamReadClassToCheck(in, type.getName());
        }
        try {
            checker.run();
        } catch (ForbiddenApiException e) {
            assertTrue(!complaints.isEmpty(), e.toString());
        }
        return complaints;
    }

    private record ErrorsOnly(List<String> errors) implements Logger {
        @Override
        public void error(String message) {
            errors.add(message);
        }

        @Override
        public void warn(String message) {}

        @Override
        public void info(String message) {}

        @Override
        public void debug(String message) {}
    }
}
