package org.bitwitness.protocol;

/** How strong the evidence of a difference is. Only the first two may name a culprit. */
public enum EvidenceGrade {
    /** Bits differ on committed inputs. */
    PROVEN,
    /** A strict majority of replicas agrees against the rest. */
    ATTRIBUTED,
    /** A statistic; it only says where to look. */
    SUSPECT;

    public boolean mayNameCulprit() {
        return switch (this) {
            case PROVEN, ATTRIBUTED -> true;
            case SUSPECT -> false;
        };
    }
}
