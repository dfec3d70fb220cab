package org.bitwitness.protocol;

import java.util.regex.Pattern;

/** The grammar behind {@link AuditUnit#parse}. */
final class UnitGrammar {
    static final Pattern CALL = Pattern.compile("([A-Z]{1,16})\\(([^,()\\s]{1,64})(?:,([0-9]{1,18}))?\\)");

    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");

    private UnitGrammar() {}

    static StepIndex step(String unit, String digits) {
        return new StepIndex(number(unit, digits));
    }

    static WorkerId worker(String unit, String digits) {
        long id = number(unit, digits);
        if (id > WorkerId.MAX) {
            throw refuse(unit);
        }
        return new WorkerId((int) id);
    }

    static long number(String unit, String digits) {
        if (!NUMBER.matcher(digits).matches()) {
            throw refuse(unit);
        }
        return Long.parseLong(digits);
    }

    static IllegalArgumentException refuse(String unit) {
        return new IllegalArgumentException(
                "\"" + Excerpt.of(unit) + "\" is not an audit unit: write INIT, DATA(shard-00000),"
                        + " GRADIENT(17,2), REDUCE(17), UPDATE(17), STEP(17), SEGMENT(10,20) or FINAL, without spaces or"
                        + " leading zeros");
    }
}
