package org.bitwitness.protocol.record;

/** Where the randomness of a challenge comes from. Named in every verdict, never chosen silently. */
public enum BeaconMode {
    /** A round of the drand network, fixed by rule. */
    DRAND("drand"),
    /** Every required witness answers a verifiable random function over the checkpoint it cosigned. */
    WITNESS_VRF("witness-vrf"),
    /** The auditor alone; a run in this mode never rises above the lowest level. */
    VRF_ONLY("vrf-only");

    private final String text;

    BeaconMode(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /**
     * The mode with this spelling.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static BeaconMode ofText(String text) {
        for (BeaconMode mode : values()) {
            if (mode.text.equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("a beacon mode is drand, witness-vrf or vrf-only, got \"" + text + "\"");
    }
}
