package org.bitwitness.cli.support;

import java.util.Collection;
import java.util.List;

/** What the process says to its caller. Usage errors are 1, never picocli's 2: 2 is reserved for a verdict. */
public enum ExitCode {
    /** All that was asked was verified, or done. */
    OK(0),
    /** Wrong usage or a wrong environment: nothing was judged. */
    USAGE(1),
    /** Bytes under verification are missing, malformed or unequal. */
    REFUSED(2),
    /** No result could be reached. */
    INCONCLUSIVE(3);

    private static final List<ExitCode> WORST_FIRST = List.of(REFUSED, USAGE, INCONCLUSIVE, OK);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The one code for several units: 2 over 1 over 3 over 0. Nothing judged at all is not a pass. */
    public static ExitCode worstOf(Collection<ExitCode> codes) {
        return WORST_FIRST.stream().filter(codes::contains).findFirst().orElse(INCONCLUSIVE);
    }
}
