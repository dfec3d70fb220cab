package org.bitwitness.replayer.dispute;

/** Who speaks in a dispute. */
public enum Party {
    /** Says that a committed gradient is not what the inputs give; opens the dispute and delivers the inputs. */
    AUDITOR("auditor"),
    /** Committed to the gradient. */
    TRAINER("trainer"),
    /** Holds the clock, executes the one operator, rules. */
    REFEREE("referee");

    private final String text;

    Party(String text) {
        this.text = text;
    }

    /** As in messages and on pages. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
