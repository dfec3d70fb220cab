package org.bitwitness.scheduler;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.verify.ChallengeRules;
import org.bitwitness.attestation.witness.BeaconRequest;
import org.bitwitness.attestation.witness.WitnessClient;
import org.bitwitness.protocol.record.BeaconMode;

/** Fetches the public randomness of a challenge. It is asked for only once the commitment is in a cosigned tree. */
@FunctionalInterface
public interface BeaconCollector {
    /**
     * The randomness for a commitment at this place.
     *
     * @throws AttestationException if a witness that the policy requires does not answer: then there is no challenge
     */
    BeaconEvidence collect(BeaconMode mode, LogPosition position) throws AttestationException;

    /** Asks the witnesses of a policy at the addresses it names. */
    static BeaconCollector fromWitnesses(TrustPolicy trust) {
        return (mode, position) -> switch (mode) {
            case WITNESS_VRF -> new BeaconEvidence.WitnessVrf(answers(trust, position));
            case VRF_ONLY -> new BeaconEvidence.VrfOnly();
            case DRAND ->
                throw AttestationException.environment(
                        "the run asks for beacon mode drand, which is not in this version: audit it with a later one");
        };
    }

    private static List<BeaconEvidence.WitnessProof> answers(TrustPolicy trust, LogPosition position)
            throws AttestationException {
        BeaconRequest request = ChallengeRules.beaconRequest(position);
        List<BeaconEvidence.WitnessProof> proofs = new ArrayList<>();
        for (WitnessIdentity witness : trust.witnesses().beaconWitnesses()) {
            URI url = witness.url()
                    .orElseThrow(() -> AttestationException.environment(
                            "the policy names no URL of witness %s, whose beacon is needed: add one to %s"
                                    .formatted(witness.name(), TrustPolicy.POLICY_FILE)));
            proofs.add(new BeaconEvidence.WitnessProof(
                    witness.key().name(), new WitnessClient(witness, url).beacon(request)));
        }
        return proofs;
    }
}
