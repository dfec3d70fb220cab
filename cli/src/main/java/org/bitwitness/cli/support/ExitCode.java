package org.bitwitness.cli.support;

import java.util.Collection;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Verdict;

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

    /** Of a process of ours that has ended; one that was killed has judged nothing. */
    public static ExitCode ofProcess(int code) {
        for (ExitCode known : values()) {
            if (known.code == code) {
                return known;
            }
        }
        return USAGE;
    }

    /** What the outcome of a replay says. */
    public static ExitCode of(Verdict verdict) {
        return switch (verdict) {
            case REPRODUCED -> OK;
            case DIVERGED -> REFUSED;
            case INCONCLUSIVE -> INCONCLUSIVE;
        };
    }

    /** What it says when a signature, a statement or a log was not accepted. */
    public static ExitCode of(AttestationException.Kind kind) {
        return switch (kind) {
            case MALFORMED, REFUSED -> REFUSED;
            case INCONCLUSIVE -> INCONCLUSIVE;
            case ENVIRONMENT -> USAGE;
        };
    }

    /** What it says when a reader refused something: the bytes are at fault, or the request and the machine are. */
    static ExitCode ofRefusal(boolean blamesTheBytes) {
        return blamesTheBytes ? REFUSED : USAGE;
    }

    /** The one code for several units: 2 over 1 over 3 over 0. Nothing judged at all is not a pass. */
    public static ExitCode worstOf(Collection<ExitCode> codes) {
        return WORST_FIRST.stream().filter(codes::contains).findFirst().orElse(INCONCLUSIVE);
    }
}
