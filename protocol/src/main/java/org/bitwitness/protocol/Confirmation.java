package org.bitwitness.protocol;

/**
 * What a second backend said about a difference.
 *
 * @param backend its name, like {@code reference}
 * @param result {@code same} when it computed the replay's bits, {@code other} when it computed different ones
 */
public record Confirmation(String backend, Result result) {
    /** Whether the second backend agrees with the first. */
    public enum Result {
        SAME("same"),
        OTHER("other");

        private final String text;

        Result(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
