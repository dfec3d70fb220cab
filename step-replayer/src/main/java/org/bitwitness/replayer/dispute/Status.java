package org.bitwitness.replayer.dispute;

/** Where a dispute stands. */
public sealed interface Status {

    /** What is to come next. */
    enum Need {
        DEFENCE("its own trace root"),
        HALVES("the two children of the node that differs"),
        ENTRY("the entry that differs"),
        INPUTS("the inputs of the disputed operator"),
        RULING("the ruling");

        private final String text;

        Need(String text) {
            this.text = text;
        }

        /** For people. */
        public String text() {
            return text;
        }
    }

    /** It is this side's turn. */
    record Waiting(Party from, Need need) implements Status {}

    /** A side has contradicted itself; its own signature proves it. */
    record Lost(Party loser, String why) implements Status {}

    /** The referee has ruled; nothing follows. */
    record Ruled(Move.Ruling ruling) implements Status {}
}
