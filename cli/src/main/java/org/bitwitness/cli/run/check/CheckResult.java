package org.bitwitness.cli.run.check;

import java.util.List;

/**
 * What one check found.
 *
 * @param name a word or two
 * @param outcome PASSED only when everything was looked at and nothing differs
 * @param detail what was looked at, in a few words; or why nothing was
 * @param differences each one, up to a limit that is said in the last message
 * @param warnings things a person should know that are not differences
 */
public record CheckResult(
        String name, Outcome outcome, String detail, List<Difference> differences, List<String> warnings) {
    /** How a check ends. */
    public enum Outcome {
        PASSED,
        DIFFERS,
        /** Not asked for, or nothing there to look at yet; the detail says which. */
        SKIPPED,
        /** Something that the answer needs is not there. */
        INCONCLUSIVE
    }

    public CheckResult {
        differences = List.copyOf(differences);
        warnings = List.copyOf(warnings);
        if ((outcome == Outcome.DIFFERS) == differences.isEmpty()) {
            throw new IllegalArgumentException("exactly a check that differs has differences");
        }
    }
}
