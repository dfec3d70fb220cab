package org.bitwitness.attestation.monitor;

/**
 * Something that a log's users should hear of.
 *
 * @param message one sentence with the numbers
 */
public record Alert(Kind kind, String message) {
    /** What kind of thing. */
    public enum Kind {
        /** Two signed trees of which neither continues the other. The notes prove it. */
        FORK,
        /** A smaller tree than was seen before: an old copy, or a log that was cut back. */
        ROLLED_BACK,
        /** The checkpoint does not meet the policy. */
        NOT_WITNESSED,
        /** The newest cosignature is older than it should be, or from the future. */
        STALE,
        /** Entries, tiles and checkpoint do not give each other. */
        DAMAGED,
        /** A verdict that was there cannot be had any more, or an index leaves it out. */
        VANISHED,
        /** A run was committed and nobody drew units from it before its deadline. */
        NOT_CHALLENGED,
        /** An auditor drew units and gave no verdict before the deadline. */
        UNANSWERED
    }
}
