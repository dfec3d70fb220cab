package org.bitwitness.cli.run.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects what a check finds. */
final class Findings {
    /** Enough to see a pattern; a damaged recording could give millions. */
    private static final int MAX_DIFFERENCES = 200;

    private final List<Difference> differences = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private Optional<String> inconclusive = Optional.empty();
    private int unlisted;

    void add(Difference difference) {
        if (differences.size() < MAX_DIFFERENCES) {
            differences.add(difference);
        } else {
            unlisted++;
        }
    }

    /** Adds a difference when two values are not equal. */
    void expect(String file, String field, Object expected, Object found) {
        if (!expected.equals(found)) {
            add(Difference.of(file, field, expected, found));
        }
    }

    void warn(String message) {
        warnings.add(message);
    }

    /** Nothing can be said, unless something differs anyway. */
    void inconclusive(String why) {
        inconclusive = Optional.of(why);
    }

    /** A check that could not go on: what it would have shown is not claimed. */
    CheckResult stopped(String name, String why) {
        return differences.isEmpty() ? result(name, why) : differing(name, why);
    }

    private CheckResult differing(String name, String rest) {
        int count = differences.size() + unlisted;
        String failed = "FAILED with %d difference%s, %s".formatted(count, count == 1 ? "" : "s", rest);
        return new CheckResult(name, CheckResult.Outcome.DIFFERS, failed, differences, warnings);
    }

    /** @param detail what is true when nothing differs */
    CheckResult result(String name, String detail) {
        if (unlisted > 0) {
            warnings.add("%d more differences of this check are not listed".formatted(unlisted));
        }
        if (!differences.isEmpty()) {
            return differing(name, "expected: " + detail);
        }
        return inconclusive
                .map(why -> new CheckResult(name, CheckResult.Outcome.INCONCLUSIVE, why, List.of(), warnings))
                .orElseGet(() -> new CheckResult(name, CheckResult.Outcome.PASSED, detail, List.of(), warnings));
    }
}
