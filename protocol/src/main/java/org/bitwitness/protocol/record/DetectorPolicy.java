package org.bitwitness.protocol.record;

/** What a run records for the detectors of later: statistics of every worker's gradient, bound by the step records. */
public enum DetectorPolicy {
    /** Nothing but what step records hold anyway. */
    NONE("none"),
    /** Norm and a sketch of 1,024 numbers of every gradient, in {@code detectors/}. */
    SKETCH("sketch-1024");

    private final String text;

    DetectorPolicy(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
