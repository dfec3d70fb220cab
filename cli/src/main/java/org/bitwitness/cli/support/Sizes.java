package org.bitwitness.cli.support;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of memory as people write them. */
public final class Sizes {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([KMGT]?)");
    private static final String UNITS = "KMGT";
    private static final long MIB = 1L << 20;

    private Sizes() {}

    /** 8G is 8·2^30. */
    static long bytes(String option, String text) throws CommandFailure {
        Matcher parts = SIZE.matcher(text);
        if (parts.matches()) {
            int shift = parts.group(2).isEmpty() ? 0 : 10 * (1 + UNITS.indexOf(parts.group(2)));
            long number = Long.parseLong(parts.group(1));
            if (number > 0 && number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        }
        throw CommandFailure.usage("%s should be bytes, or a whole number with K, M, G or T such as 8G, is \"%s\""
                .formatted(option, text));
    }

    /** Rounded up, as an option takes it: 412M. */
    public static String mebibytes(long bytes) {
        return Math.ceilDiv(bytes, MIB) + "M";
    }
}
