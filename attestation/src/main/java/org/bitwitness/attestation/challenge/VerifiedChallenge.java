package org.bitwitness.attestation.challenge;

import java.util.List;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;

/**
 * A logged challenge whose units a verifier drew again.
 *
 * @param index of the challenge in the log
 * @param auditor its signer, accepted by the verifier's policy
 * @param auditorName under which the policy knows it
 * @param commitment what is challenged
 * @param commitmentIndex of that in the log
 * @param policy of the run's OPEN
 * @param mode {@link BeaconMode#VRF_ONLY} never lifts a run above the lowest level
 * @param units to replay, in the order drawn
 */
public record VerifiedChallenge(
        long index,
        VerifyingKey auditor,
        String auditorName,
        Commitment commitment,
        long commitmentIndex,
        AuditPolicy policy,
        BeaconMode mode,
        List<AuditUnit> units) {
    public VerifiedChallenge {
        units = List.copyOf(units);
    }
}
