package org.bitwitness.attestation.statement;

/** URIs of our predicates. A change of meaning gets a new version; an old one keeps being read. */
public final class PredicateType {
    /** What every predicate of ours begins with. */
    public static final String PREFIX = "https://bitwitness.org/predicates/";

    public static final String TRAINING_COMMITMENT = PREFIX + "training-commitment/v0.1";
    public static final String AUDIT_CHALLENGE = PREFIX + "audit-challenge/v0.1";
    public static final String AUDIT_VERDICT = PREFIX + "audit-verdict/v0.1";

    public static final String KEY_EVENT = PREFIX + "key-event/v0.1";
    public static final String DRILL_COMMITMENT = PREFIX + "drill-commitment/v0.1";
    public static final String DRILL_OPENING = PREFIX + "drill-opening/v0.1";

    /** SLSA's verification summary, which other people's policy engines read. */
    public static final String VERIFICATION_SUMMARY = "https://slsa.dev/verification_summary/v1";

    private PredicateType() {}
}
