package org.bitwitness.attestation.statement;

/** URIs of our predicates. A change of meaning gets a new version; an old one keeps being read. */
public final class PredicateType {
    public static final String TRAINING_COMMITMENT = "https://bitwitness.org/predicates/training-commitment/v0.1";
    public static final String AUDIT_CHALLENGE = "https://bitwitness.org/predicates/audit-challenge/v0.1";
    public static final String AUDIT_VERDICT = "https://bitwitness.org/predicates/audit-verdict/v0.1";

    /** SLSA's verification summary, which other people's policy engines read. */
    public static final String VERIFICATION_SUMMARY = "https://slsa.dev/verification_summary/v1";

    private PredicateType() {}
}
