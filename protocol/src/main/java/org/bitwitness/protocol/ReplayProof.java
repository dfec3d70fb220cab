package org.bitwitness.protocol;

/**
 * Shows that a replay was done: a root over salted chunks of values that were never published.
 *
 * @param kind {@code work} when the chunks come from a trace, {@code possession} when the unit has none
 * @param leaves number of chunks under the root
 */
public record ReplayProof(Kind kind, Sha256 root, long leaves) {
    public ReplayProof {
        if (leaves < 0) {
            throw new IllegalArgumentException("a count of leaves cannot be negative, got " + leaves);
        }
    }

    /** What the proof shows. */
    public enum Kind {
        WORK("work"),
        POSSESSION("possession");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
