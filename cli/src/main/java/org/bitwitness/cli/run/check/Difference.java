package org.bitwitness.cli.run.check;

import java.util.Optional;

/**
 * One place where a recording is not what it commits to.
 *
 * @param file path in the recording
 * @param field what in the file, like {@code step 7 learningRate}; empty for the whole file
 * @param expected what should be there; empty where only the message can say
 * @param found what is there
 * @param message the whole of it in a sentence
 */
public record Difference(String file, String field, Optional<String> expected, Optional<String> found, String message) {
    /** A value that should be another one. */
    public static Difference of(String file, String field, Object expected, Object found) {
        String place = field.isEmpty() ? file : file + ": " + field;
        return new Difference(
                file,
                field,
                Optional.of(expected.toString()),
                Optional.of(found.toString()),
                "%s should be %s, is %s".formatted(place, expected, found));
    }

    /** What a reader refused, in its own words. */
    public static Difference refused(String file, String message) {
        String named = message.startsWith(file) ? message : file + ": " + message;
        return new Difference(file, "", Optional.empty(), Optional.empty(), named);
    }
}
